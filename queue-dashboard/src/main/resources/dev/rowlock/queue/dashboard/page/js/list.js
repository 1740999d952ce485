// What lists have in common: filters that stand in the address, and pages.
import {h, fill, button, field, link, timeInput, ROW} from './dom.js';
import {address, may} from './api.js';
import {jobLink, local, shortClass} from './show.js';
import {say} from './act.js';

/** Fields: [name, label], or [name, label, true] for a time. The key / goes to the one that is named. */
export function searchForm(path, label, fields, values, slash) {
  const form = h('form', {class: 'filters', role: 'search', 'aria-label': label},
    fields.map(([name, title, time]) => field(time ? `${title} (your time)` : title, time ? timeInput({name, value: local(values[name])})
      : h('input', {name, value: values[name] ?? '', autocomplete: 'off', data: name === slash ? {search: ''} : {}}))),
    h('button', {class: 'main'}, 'Search'), link(path, {}, 'Reset', {class: 'button', onclick: () => form.reset()}));
  form.addEventListener('submit', event => {
    event.preventDefault();
    const wanted = Object.fromEntries(new FormData(form));
    for (const [name, , time] of fields) if (time && wanted[name]) wanted[name] = new Date(wanted[name]).toISOString();
    location.hash = `#/${address(path, wanted)}`;
  });
  return form;
}

/** Parameters with the page that is shown; next: where the next one begins. */
export const pages = (path, parameters, next, text, key = 'before') => h('div', {class: 'row'},
  parameters[key] && link(path, {...parameters, [key]: ''}, 'First page', {class: 'button'}),
  next && link(path, {...parameters, [key]: next}, text, {class: 'button', ...ROW}));

/** So many rows go into a file at most. */
const MOST_ROWS = 10_000;

/** A spreadsheet takes text that begins so for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

const cell = value => {
  const text = value === null || value === undefined ? '' : typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * A button that saves a list, page by page, as a file for spreadsheets.
 * @param columns names of the fields of a row
 * @param page next => {rows, next}, beginning with no next
 */
export function csvButton(file, columns, page) {
  const save = button('CSV', async () => {
    save.disabled = true;
    try {
      const rows = [];
      for (let next; next !== null && rows.length < MOST_ROWS;) {
        const more = await page(next);
        rows.push(...more.rows);
        next = more.next;
        fill(save, `CSV: ${rows.length}…`);
      }
      const lines = [columns, ...rows.slice(0, MOST_ROWS).map(row => columns.map(name => row[name]))].map(line => `${line.map(cell).join(',')}\r\n`);
      const url = URL.createObjectURL(new Blob(['\ufeff', ...lines], {type: 'text/csv'})); // the mark says UTF-8
      h('a', {href: url, download: file}).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      say(rows.length < MOST_ROWS ? `Saved ${rows.length} rows.` : `Saved the first ${MOST_ROWS} rows.`);
    } catch (e) {
      say(`The list could not be saved: ${e.message}`, true);
    } finally {
      save.disabled = false;
      fill(save, 'CSV');
    }
  }, {title: `Save the list as a file for spreadsheets, ${MOST_ROWS} rows at most`});
  return save;
}

/**
 * What an action was done to. A kind of error is named by its error, as that was when the action began, and links to what is left of it.
 * @param text null: this user may not see it
 */
export function subject(text, error) {
  const kind = error && [shortClass(error.errorType), ': ', error.message];
  if (text === null) return [h('span', {class: 'soft'}, 'jobs of a filter that you may not see'), kind && [': ', kind]];
  const job = /^job (\d+)$/.exec(text);
  if (job) return ['job ', jobLink(job[1])];
  const [before, fingerprint, after] = text.split(/fingerprint=([0-9a-f]{16})/);
  const states = /state=([a-z]+(?: or [a-z]+)*)/.exec(before)?.[1].replaceAll(' or ', ',');
  return fingerprint ? [before, link('jobs', {fingerprint, state: states}, kind ?? `error ${fingerprint}`), after] : text;
}

/** The last column, for users who may do something. */
export const actionColumn = cell => may('OPERATOR') ? [{title: '', label: 'Actions', class: 'tight', cell: row => h('div', {class: 'row'}, cell(row))}] : [];

/** A place for a button that comes with news of the queue, or of any, and its listener. */
export function newsOf({queue}, reload) {
  const news = h('span', {'aria-live': 'polite'});
  let first;
  return [news, {queues(all) {
    const now = all.filter(one => !queue || one.queue === queue).map(one => [one.waiting, one.ready, one.running, one.dead]).join();
    first ??= now;
    if (now !== first && !news.firstChild) fill(news, button('Load what is new (r)', reload));
  }}];
}
