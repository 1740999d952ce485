// Queues, nodes and pauses at a glance, and what the doctor found.
import {h, fill, table, panel, button, field} from '../dom.js';
import {get, may, post, query} from '../api.js';
import {number, span, state, when} from '../show.js';
import {ask, say} from '../act.js';
import {chart} from '../chart.js';
import * as live from '../live.js';

const SHOWN = 100;
const KEPT = 3600;

/** Sums of the depths that have come since the page was opened, so that a look elsewhere loses nothing. */
const past = [[], [], [], []];

export async function overview(place, parameters, reload) {
  const start = await get('overview');
  let queues = start.queues;
  let pauses = start.pauses;
  let nodes = start.nodes;
  const tiles = h('div', {class: 'tiles'});
  const list = h('div', {});
  const search = h('input', {type: 'search', 'aria-label': 'Find a queue', placeholder: 'Find a queue', data: {search: ''}, oninput: () => draw()});
  const findings = h('div', {}, h('p', {class: 'empty'}, 'The doctor looks…'));
  const lines = chart('Jobs in all queues', [
    {label: 'ready', colour: '--busy'}, {label: 'running', colour: '--good'}, {label: 'dead', colour: '--bad'}]);
  const sum = name => queues.reduce((all, queue) => all + queue[name], 0);

  function draw() {
    const oldest = Math.max(0, ...queues.map(queue => queue.oldestSeconds ?? 0));
    fill(tiles,
      tile('Ready', number(sum('ready')), 'busy', '#/jobs?state=ready'), tile('Running', number(sum('running')), 'busy', '#/jobs?state=running'),
      tile('Waiting', number(sum('waiting')), '', '#/jobs?state=waiting'),
      tile('Dead', number(sum('dead')), sum('dead') ? 'bad' : 'good', '#/errors'),
      tile('Longest wait', span(oldest * 1000), oldest > 60 ? 'warn' : '', '#/jobs?state=ready'),
      tile('Nodes', number(nodes.length), nodes.length && nodes.every(node => !node.expired) ? 'good' : 'bad', '#/nodes'));
    drawQueues();
  }

  function drawQueues() {
    const wanted = queues.filter(queue => queue.queue.toLowerCase().includes(search.value.trim().toLowerCase()));
    const focused = document.activeElement?.closest?.('tr')?.dataset.key;
    const index = focused && [...document.activeElement.closest('tr').querySelectorAll('a, button')].indexOf(document.activeElement);
    fill(list, table([
      {title: 'Queue', class: 'wide', cell: queue => [h('a', {href: `#/jobs?${query({queue: queue.queue})}`, data: {row: ''}}, queue.queue),
        isPaused(queue) && [' ', state('paused')]]},
      ...['ready', 'running', 'waiting', 'dead'].map(name => ({title: name[0].toUpperCase() + name.slice(1), class: 'number', cell: queue => link(queue, name)})),
      {title: 'Longest wait', class: 'number tight', cell: queue => queue.oldestSeconds === null ? '–' : span(queue.oldestSeconds * 1000)},
      {title: 'Nodes', class: 'number', cell: queue => nodes.filter(node => node.queues.includes(queue.queue)).length || h('span', {class: 'bad'}, 'none')},
      ...(may('OPERATOR') ? [{title: '', label: 'Actions', class: 'tight', cell: queue => pauseButton(queue)}] : []),
    ], wanted.slice(0, SHOWN), queues.length ? 'No queue has this in its name.' : 'There is no job, or no node has measured yet: that takes some seconds.',
    {key: queue => queue.queue, caption: wanted.length > SHOWN ? `${SHOWN} of ${wanted.length} queues: find others by name` : null}));
    if (focused) [...list.querySelectorAll('tr')].find(row => row.dataset.key === focused)?.querySelectorAll('a, button')[index]?.focus({preventScroll: true});
  }

  const isPaused = queue => pauses.some(pause => pause.kind === 'QUEUE' && pause.name === queue.queue);
  const link = (queue, name) => queue[name]
    ? h('a', {href: `#/jobs?${query({queue: queue.queue, state: name === 'dead' ? 'failed,quarantined' : name})}`, class: name === 'dead' ? 'bad' : null}, number(queue[name]))
    : '0';

  function pauseButton(queue) {
    const paused = isPaused(queue);
    return button(paused ? 'Resume' : 'Pause', () => ask({
      title: `${paused ? 'Resume' : 'Pause'} queue ${queue.queue}`,
      text: paused ? 'Nodes claim its jobs again.' : 'Nodes claim nothing more from it. Running jobs go on.',
      confirm: paused ? 'Resume' : 'Pause',
      async action({why}) {
        await post(`queues/${paused ? 'resume' : 'pause'}`, {name: queue.queue, why});
        say(`Queue ${queue.queue} is ${paused ? 'resumed' : 'paused'}.`);
        pauses = await get('pauses');
        draw();
      },
    }), {'aria-label': `${paused ? 'Resume' : 'Pause'} queue ${queue.queue}`});
  }

  function record() {
    const second = Math.floor(Date.now() / 1000);
    if (!queues.length || past[0].at(-1) === second) return;
    [second, sum('ready'), sum('running'), sum('dead')].forEach((value, i) => {
      past[i].push(value);
      if (past[i].length > KEPT) past[i].shift();
    });
    lines.draw(past);
  }

  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Overview'), h('div', {class: 'row'}, pauseTools(pauses, reload))), tiles,
    panel(null, h('div', {class: 'head'}, h('h2', {}, 'Queues'), search), list),
    h('div', {class: 'columns'}, panel('Jobs while this page is open', lines.node),
      panel(null, h('div', {class: 'head'}, h('h2', {}, 'Doctor'), h('a', {href: '#/doctor'}, 'All findings')), findings)));
  draw();
  get('doctor').then(report => drawFindings(findings, report), e => fill(findings, h('p', {class: 'error'}, e.message)));
  requestAnimationFrame(record);
  return {
    live: {
      queues: now => { queues = now; draw(); record(); },
      pauses: now => { pauses = now; draw(); },
      nodes: now => { nodes = now; draw(); },
    },
    stop: lines.stop,
  };
}

const tile = (label, figure, kind, href) =>
  h('a', {class: kind, href}, h('span', {class: 'label'}, label), h('span', {class: 'figure'}, figure));

function drawFindings(findings, report) {
  const bad = report.findings.filter(one => !['OK', 'INFO'].includes(one.status));
  fill(findings, bad.length
    ? h('ul', {class: 'small'}, bad.map(one => h('li', {}, state(one.status), ' ', one.cause)))
    : h('p', {class: 'good'}, 'Nothing holds up the queue.'), h('p', {class: 'soft small'}, 'Examined ', when(report.at)));
}

function pauseTools(pauses, reload) {
  const everything = pauses.some(pause => pause.kind === 'EVERYTHING');
  const dialog = (path, title, confirm, fields, danger) => ask({
    title, confirm, fields, danger, done: reload,
    async action({why, name}) {
      const {changed} = await post(path, {name, why});
      say(changed ? 'Done.' : 'It was so already.');
    },
  });
  return [
    may('OPERATOR') && button('Pause a type…', () => dialog('types/pause', 'Pause a type, in whatever queue', 'Pause',
      [field('Type', h('input', {name: 'name', required: true, autocomplete: 'off'}))])),
    may('ADMIN') && button(everything ? 'Resume everything…' : 'Pause everything…', () => everything
      ? dialog('everything/resume', 'Resume everything', 'Resume everything', [])
      : dialog('everything/pause', 'Pause everything', 'Pause everything', [], true)),
  ];
}
