// Who did what, when and why.
import {h, fill, link, table, panel, ROW} from '../dom.js';
import {get} from '../api.js';
import {number, time} from '../show.js';
import {csvButton, pages, searchForm, subject} from '../list.js';

const COLUMNS = ['at', 'who', 'action', 'subject', 'detail', 'jobs', 'refused', 'why'];

export async function audit(place, parameters) {
  const page = await get('audit', parameters);
  const search = searchForm('audit', 'Audit', [['who', 'Who'], ['action', 'What'], ['subject', 'To what'], ['from', 'From', true], ['until', 'Until', true]], parameters, 'who');
  const saved = csvButton('audit.csv', COLUMNS, async before => {
    const {lines, next} = await get('audit', {...parameters, before});
    return {rows: lines, next};
  });
  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Audit'), page.lines.length > 0 && saved), panel(null, search), panel(null, table([
    {title: 'When', class: 'tight', cell: line => time(line.at)},
    {title: 'Who', cell: line => line.who},
    {title: 'What', cell: line => line.bulkAction ? [line.action, ', ', link('actions', {action: line.bulkAction}, `action ${line.bulkAction}`, ROW)] : line.action},
    {title: 'To what', class: 'wide', cell: line => [subject(line.subject, line.error), line.detail && h('div', {class: 'soft small'}, line.detail)]},
    {title: 'Jobs', class: 'number', cell: line => [line.jobs ? number(line.jobs) : '–', line.refused ? ` (${number(line.refused)} refused)` : '']},
    {title: 'Why', class: 'wide', cell: line => line.why ?? h('span', {class: 'soft'}, '–')},
  ], page.lines, Object.values(parameters).some(Boolean) ? 'No line matches.' : 'Nobody has done anything.'),
  pages('audit', parameters, page.next, 'Older lines')));
}
