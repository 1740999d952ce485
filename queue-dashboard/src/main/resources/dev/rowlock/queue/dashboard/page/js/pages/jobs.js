// A list of jobs by filters, which all stand in the address.
import {h, fill, table, panel, button, field, link, timeInput, words} from '../dom.js';
import {address, get, me, may} from '../api.js';
import {between, cappedJobs, jobLink, jobs as amount, local, DEAD, STATES, shortClass, jobState, span, stateName, time} from '../show.js';
import {ONE, VERBS, actOnAll, actOnChosen} from '../act.js';
import {known} from '../live.js';
import {csvButton, newsOf, pages} from '../list.js';

const TEXTS = [
  ['queue', 'Queue'], ['type', 'Type'], ['key', 'Key'], ['uniqueKey', 'Unique key'], ['error', 'Text of the last error'], ['errorType', 'Class of the last error'],
  ['fingerprint', 'Kind of error (fingerprint)'], ['node', 'Node'],
];
const HIDDEN = [['payload', 'Payload (jsonpath)'], ['header', 'Header (name=value)']];
const EXAMPLES = {type: 'whole name', key: 'whole key', payload: '$.customer == 42'};
const COLUMNS = ['id', 'state', 'queue', 'type', 'title', 'key', 'uniqueKey', 'priority', 'attempt', 'enqueuedAt', 'dueAt', 'startedAt', 'endedAt', 'errorType', 'error'];
const TIMES = ['enqueued', 'due', 'started', 'ended'];

export async function jobList(place, parameters, reload) {
  const {before: _, ...filter} = parameters;
  const page = await get('jobs', parameters).catch(e => ({jobs: [], trouble: e.message}));
  const total = h('span', {class: 'soft', role: 'status'}, !page.trouble && 'counting…');
  if (!page.trouble) get('jobs/count', filter).then(count => fill(total, cappedJobs(count)), e => fill(total, e.message));
  const [news, live] = newsOf(filter, reload);
  const chosen = new Set();
  const tools = h('div', {class: 'row'});
  const drawTools = () => fill(tools, may('OPERATOR') && page.jobs.length > 0 && (chosen.size ? forChosen(chosen, page.jobs, reload) : forAll(filter, reload)));
  drawTools();
  const choose = (id, on) => { on ? chosen.add(id) : chosen.delete(id); drawTools(); };
  const all = h('input', {type: 'checkbox', 'aria-label': 'Choose all jobs of this page', onchange: () =>
    place.querySelectorAll('tbody input[type=checkbox]').forEach(box => { box.checked = all.checked; choose(box.value, all.checked); })});
  fill(place,
    h('div', {class: 'head'}, h('div', {class: 'row'}, h('h1', {}, 'Jobs'), total), h('div', {class: 'row'}, news, page.jobs.length > 0 && saved(filter))),
    panel(null, form(filter)),
    panel(null, tools, page.trouble ? h('p', {class: 'error', role: 'alert'}, page.trouble) : table([
      ...(may('OPERATOR') ? [{title: h('label', {class: 'check'}, all, h('span', {class: 'narrow'}, 'all jobs of this page')), class: 'tight', cell: job => h('input', {
        type: 'checkbox', value: job.id, 'aria-label': `Choose job ${job.id}`, onchange: event => choose(job.id, event.target.checked)})}] : []),
      {title: 'Job', class: 'tight', cell: job => jobLink(job.id)},
      {title: 'State', class: 'tight', cell: job => [jobState(job.state), job.progress === null ? '' : ` ${job.progress} %`]},
      ...['queue', 'type', 'key', 'uniqueKey'].filter(name => page.jobs.some(job => job[name])).map(name => ({title: TEXTS.find(([one]) => one === name)[1], class: 'name',
        cell: job => job[name] && link('jobs', {...filter, ...(name === 'uniqueKey' && {type: job.type}), [name]: job[name]}, job[name])})),
      ...(page.jobs.some(job => job.title) ? [{title: 'Title', class: 'wide', cell: job => h('span', {class: 'clip'}, job.title ?? '')}] : []),
      {title: 'Attempt', class: 'number', cell: job => job.attempt},
      {title: 'Enqueued', class: 'tight', cell: job => time(job.enqueuedAt)},
      {title: 'Due, started, ended', class: 'tight', cell: job => job.endedAt ? ['ended ', time(job.endedAt)]
        : job.state === 'running' ? ['started ', time(job.startedAt)] : ['due ', time(job.dueAt)]},
      ...(page.jobs.some(ran) ? [{title: 'Ran for', class: 'number tight', cell: job => ran(job) && span(between(job.startedAt, job.endedAt))}] : []),
      {title: 'Last error', class: 'wide', cell: job => job.errorType && h('span', {class: 'error small clip'}, shortClass(job.errorType), ': ', job.error)},
    ], page.jobs, 'No job matches.'),
    pages('jobs', parameters, page.next, 'Older jobs'), words(...Object.entries(STATES), ...VERBS)));
  return {live};
}

const saved = filter => csvButton('jobs.csv', COLUMNS, async before => {
  const {jobs, next} = await get('jobs', {...filter, before, size: 200});
  return {rows: jobs, next};
});

/** Whether its last attempt has ended with it. A job that was cancelled while it waited did not run then. */
const ran = job => job.startedAt && job.endedAt && job.state !== 'cancelled';

function form(filter) {
  const states = new Set((filter.state ?? '').split(',').filter(Boolean));
  const timeKind = TIMES.find(kind => filter[`${kind}From`] || filter[`${kind}Until`]) ?? 'enqueued';
  const queues = (known('queues') ?? []).map(queue => queue.queue);
  const texts = me.searches ? [...TEXTS, ...HIDDEN] : TEXTS;
  const rare = texts.slice(3);
  const input = ([name, label]) => field(label, h('input', {name, value: filter[name] ?? '', autocomplete: 'off', maxLength: 2000, placeholder: EXAMPLES[name],
    list: name === 'queue' ? 'queues' : null, data: name === 'queue' ? {search: ''} : {}}));
  const node = h('form', {class: 'filters', role: 'search', 'aria-label': 'Jobs'},
    h('fieldset', {}, h('legend', {}, 'State'), Object.entries(STATES).map(([one, meaning]) =>
      h('label', {class: 'check', title: meaning}, h('input', {type: 'checkbox', name: 'state', value: one, checked: states.has(one)}), stateName(one)))),
    texts.slice(0, 3).map(input), h('datalist', {id: 'queues'}, queues.slice(0, 500).map(queue => h('option', {value: queue}))),
    h('details', {open: rare.some(([name]) => filter[name]) || TIMES.some(kind => filter[`${kind}From`] || filter[`${kind}Until`])},
      h('summary', {}, 'More'), h('div', {class: 'filters'}, rare.map(input),
        field('Time', h('select', {name: 'timeKind'}, TIMES.map(kind => h('option', {value: kind, selected: kind === timeKind}, kind)))),
        field('From (your time)', timeInput({name: 'from', value: local(filter[`${timeKind}From`])})),
        field('Until (your time)', timeInput({name: 'until', value: local(filter[`${timeKind}Until`])})))),
    h('div', {class: 'row'}, h('button', {class: 'main'}, 'Search'), link('jobs', {}, 'Reset', {class: 'button', onclick: () => node.reset()})));
  node.addEventListener('submit', event => {
    event.preventDefault();
    const data = new FormData(node);
    const wanted = {state: data.getAll('state').join(',')};
    for (const [name] of texts) wanted[name] = data.get(name).trim();
    for (const end of ['from', 'until']) {
      const at = data.get(end);
      if (at) wanted[data.get('timeKind') + (end === 'from' ? 'From' : 'Until')] = new Date(at).toISOString();
    }
    const next = `#/${address('jobs', wanted)}`;
    if (location.hash === next) dispatchEvent(new Event('hashchange'));
    else location.hash = next;
  });
  return node;
}

function forChosen(chosen, list, reload) {
  const states = new Set(list.filter(job => chosen.has(job.id)).map(job => job.state));
  return [h('strong', {}, `${amount(chosen.size)} chosen:`),
    Object.entries(ONE).filter(([, one]) => may(one.level) && one.states.some(state => states.has(state)))
      .map(([name, one]) => button(`${one.verb}…`, () => actOnChosen(name, [...chosen], reload), {data: {chosen: name}}))];
}

function forAll(filter, reload) {
  if (!Object.values(filter).some(Boolean)) return h('span', {class: 'soft'}, 'Choose jobs, or filter the list to act on all that match.');
  const states = filter.state ? filter.state.split(',') : Object.keys(STATES);
  const dead = states.some(one => DEAD.includes(one));
  const live = states.some(one => one === 'waiting' || one === 'ready');
  return [h('span', {class: 'soft'}, 'All that match:'),
    dead && button('Redrive…', () => actOnAll('redrive', filter, reload), {data: {all: 'redrive'}}),
    live && button('Cancel…', () => actOnAll('cancel', filter, reload), {data: {all: 'cancel'}}),
    dead && may('ADMIN') && button('Discard…', () => actOnAll('discard', filter, reload), {data: {all: 'discard'}})];
}
