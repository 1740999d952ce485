// Queues, nodes and pauses at a glance, and what the doctor found.
import {h, fill, table, panel, button, link, ROW} from '../dom.js';
import {address, get} from '../api.js';
import {DEAD, NOT_DONE, capped, number, span, state, time, troubles, when} from '../show.js';
import {ask, say} from '../act.js';
import {chart, spark} from '../chart.js';
import {actionColumn} from '../list.js';
import {change, pauseTools} from './pauses.js';
import * as live from '../live.js';

const SHOWN = 100;
const MINUTE = 60000;
const SOON = 5000;
const ASK_AGAIN = 15000;

const collator = new Intl.Collator(undefined, {numeric: true});
const byName = (one, other) => collator.compare(one.queue, other.queue);
const most = figure => (one, other) => (other[figure] ?? -1) - (one[figure] ?? -1) || byName(one, other);
const ORDERS = {name: byName, ready: most('ready'), running: most('running'), waiting: most('waiting'), dead: most('dead'), 'longest wait': most('oldestSeconds')};

export async function overview(place, parameters) {
  const start = await get('overview');
  let queues = start.queues;
  let pauses = start.pauses;
  let nodes = start.nodes;
  const tools = h('div', {class: 'row'});
  const verdict = h('section', {'aria-label': 'Verdict', role: 'status'}, h('p', {class: 'empty'}, 'Looking whether any queue is late…'));
  const tiles = h('div', {});
  const list = h('div', {});
  const order = h('select', {'aria-label': 'Order of queues', onchange: () => { remember(); drawQueues(); }}, Object.keys(ORDERS).map(name => h('option', {value: name, selected: name === parameters.sort}, `by ${name}`)));
  const search = h('input', {type: 'search', value: parameters.find ?? '', 'aria-label': 'Find a queue', placeholder: 'Find a queue', data: {search: ''}, oninput: () => { remember(); drawQueues(); }});
  const findings = h('div', {}, h('p', {class: 'empty'}, 'The doctor looks…'));
  const lines = chart('In each minute', [{label: 'jobs completed', kind: 'completed'}, {label: 'jobs cancelled', kind: 'cancelled'}, {label: 'attempts failed', kind: 'failed'}]);
  const trouble = h('p', {class: 'soft small'});
  let hour = {queues: {}};
  let next = 0;
  const sum = name => queues.reduce((all, queue) => all + queue[name], 0);

  function draw() {
    fill(tools, pauseTools(pauses));
    const oldest = Math.max(0, ...queues.map(queue => queue.oldestSeconds ?? 0));
    fill(tiles, group('Now', 'queues are counted every 15 seconds',
      tile('Ready', number(sum('ready')), 'busy', '#/jobs?state=ready'), tile('Running', number(sum('running')), 'busy', '#/jobs?state=running'),
      tile('Waiting', number(sum('waiting')), '', '#/jobs?state=waiting'),
      tile('Dead', number(sum('dead')), sum('dead') ? 'bad' : 'good', '#/errors', 'All dead jobs, since whenever: until somebody redrives or discards them'),
      tile('Longest wait', oldest ? span(oldest * 1000) : '–', oldest > 60 ? 'warn' : '', '#/?sort=longest+wait'),
      tile('Nodes', number(nodes.length), nodes.length && nodes.every(node => !node.expired) ? 'good' : 'bad', '#/nodes')),
    hour.dead && group('Last hour', ['as of ', time(hour.at)],
      tile('Completed', number(total(hour.completed)), 'good', `#/${address('jobs', {state: 'completed', endedFrom: hour.from})}`),
      hour.attempts && tile('Failed attempts', capped({jobs: total(Object.values(hour.attempts.queues)), more: !hour.attempts.complete}), '', '#/errors', 'Of all jobs, whatever became of them'),
      tile('Died, and still dead', capped(hour.dead), hour.dead.jobs ? 'bad' : 'good', `#/${address('jobs', {state: DEAD.join(), endedFrom: hour.from})}`, 'Those of the dead jobs that died in the last hour')));
    drawQueues();
  }

  function remember() {
    history.replaceState(null, '', `#/${address('', {sort: order.value === 'name' ? null : order.value, find: search.value})}`);
  }

  function drawQueues() {
    const counted = new Set(queues.map(queue => queue.queue));
    const empty = Object.keys(hour.queues).filter(name => !counted.has(name)).map(queue => ({queue, ready: 0, running: 0, waiting: 0, dead: 0, oldestSeconds: null}));
    const wanted = [...queues, ...empty].filter(queue => queue.queue.toLowerCase().includes(search.value.trim().toLowerCase())).sort(ORDERS[order.value] ?? byName);
    fill(list, table([
      {title: 'Queue', class: 'wide', cell: queue => [link('jobs', {queue: queue.queue, state: NOT_DONE}, queue.queue, ROW),
        isPaused(queue) && [' ', state('paused')]]},
      ...['ready', 'running', 'waiting', 'dead'].map(name => ({title: name[0].toUpperCase() + name.slice(1), class: 'number', cell: queue => jobsIn(queue, name)})),
      {title: 'Longest wait', class: 'number tight', cell: queue => queue.oldestSeconds === null ? '–' : span(queue.oldestSeconds * 1000)},
      {title: 'Completed, last hour', class: 'tight', cell: queue => done(queue)},
      {title: 'Failed attempts, last hour', class: 'number', cell: queue => failed(queue)},
      {title: 'Nodes', class: 'number', cell: queue => nodes.filter(node => node.queues.includes(queue.queue)).length || h('span', {class: 'bad'}, 'none')},
      ...actionColumn(queue => pauseButton(queue)),
    ], wanted.slice(0, SHOWN), queues.length ? 'No queue has this in its name.' : 'There is no job, or no node has measured yet: that takes some seconds.',
    {caption: wanted.length > SHOWN ? `${SHOWN} of ${wanted.length} queues: find others by name` : null}));
  }

  function done(queue) {
    const minutes = hour.queues[queue.queue];
    if (!minutes) return h('span', {class: 'soft'}, '–');
    const all = total(minutes);
    return h('span', {class: 'row'}, h('span', {}, number(all)), spark(`${number(all)} completed in the last hour, ${number(Math.max(...minutes))} in the best minute`, minutes));
  }

  function failed({queue}) {
    if (!hour.attempts) return '–';
    const count = hour.attempts.queues[queue] ?? 0;
    const text = capped({jobs: count, more: !hour.attempts.complete});
    return count ? link('errors', {queue}, text, {class: 'bad'}) : text;
  }

  const isPaused = queue => pauses.some(pause => pause.kind === 'QUEUE' && pause.name === queue.queue);
  const jobsIn = (queue, name) => queue[name]
    ? link('jobs', {queue: queue.queue, state: name === 'dead' ? DEAD.join() : name}, number(queue[name]), {class: name === 'dead' ? 'bad' : null})
    : '0';

  function pauseButton(queue) {
    const paused = isPaused(queue);
    return button(paused ? 'Resume' : 'Pause', () => ask({
      title: `${paused ? 'Resume' : 'Pause'} queue ${queue.queue}`,
      text: paused ? 'Nodes claim its jobs again.' : 'Nodes claim nothing more from it. Running jobs go on.',
      confirm: paused ? 'Resume' : 'Pause',
      async action({why}) {
        await change(`queues/${paused ? 'resume' : 'pause'}`, {name: queue.queue, why});
        say(`Queue ${queue.queue} is ${paused ? 'resumed' : 'paused'}.`);
      },
    }), {'aria-label': `${paused ? 'Resume' : 'Pause'} queue ${queue.queue}`});
  }

  async function measure() {
    next = Infinity;
    hour = await get('throughput').catch(e => ({queues: {}, trouble: e.message}));
    fill(trouble, hour.trouble ?? '');
    if (!hour.trouble) lines.draw(hour.from, [hour.completed, hour.cancelled, hour.attempts.minutes]);
    draw();
    next = Date.now() + (hour.trouble ? 0 : MINUTE); // asking soon costs little: the server keeps what it could not sum for some time, too
  }

  const judge = () => get('verdict').then(now => drawVerdict(verdict, now), e => fill(verdict, h('p', {class: 'error'}, e.message)));

  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Overview'), tools), verdict, tiles,
    panel(null, h('div', {class: 'head'}, h('h2', {}, 'Queues'), h('div', {class: 'row'}, order, search)), list),
    h('div', {class: 'columns'}, panel('Last hour, minute by minute', lines.node, trouble),
      panel(null, h('div', {class: 'head'}, h('h2', {}, 'Doctor'), h('a', {href: '#/doctor'}, 'All findings')), findings)));
  draw();
  get('doctor').then(report => drawFindings(findings, report), e => fill(findings, h('p', {class: 'error'}, e.message)));
  measure();
  judge();
  const timer = setInterval(() => document.hidden || Date.now() < next || measure(), SOON);
  const judging = setInterval(() => document.hidden || judge(), ASK_AGAIN);
  return {
    live: {
      queues: now => { queues = now; draw(); },
      pauses: now => { pauses = now; draw(); },
      nodes: now => { nodes = now; draw(); },
    },
    stop() {
      clearInterval(timer);
      clearInterval(judging);
    },
  };
}

const total = figures => figures.reduce((one, other) => one + other, 0);

const group = (label, note, ...children) => h('section', {'aria-label': label},
  h('p', {class: 'soft small of'}, h('strong', {}, label), ': ', note), h('div', {class: 'tiles'}, children));

const tile = (label, figure, kind, href, title) =>
  h('a', {class: kind, href, title}, h('span', {class: 'label'}, label), h('span', {class: 'figure'}, figure));

const VERDICTS = {
  HEALTHY: ['good', 'Healthy: no job that may run has waited for long.'],
  LATE: ['warn', 'Late'],
  BLIND: ['bad', 'Blind'],
  STUCK: ['bad', 'Stuck'],
};

function drawVerdict(place, {status, reasons}) {
  const [kind, text] = VERDICTS[status];
  fill(place, reasons.length
    ? h('ul', {class: 'verdict'}, reasons.map(one => h('li', {},
      h('strong', {class: VERDICTS[one.status][0]}, VERDICTS[one.status][1]), ': ', one.cause, ' ',
      one.queue !== null && link('jobs', {queue: one.queue, state: 'ready'}, 'Its ready jobs'),
      h('p', {class: 'soft small'}, one.remedy))))
    : h('p', {class: kind}, text));
}

function drawFindings(findings, report) {
  const bad = troubles(report);
  fill(findings, bad.length
    ? h('ul', {class: 'small'}, bad.map(one => h('li', {}, state(one.status), ' ', one.cause)))
    : h('p', {class: 'good'}, 'No check of the database or the configuration has found anything.'), h('p', {class: 'soft small'}, 'Examined ', when(report.at)));
}
