// Who runs jobs, whether it is alive, how many places it has, and what has a place there.
import {h, fill, table, panel, link, words, ROW} from '../dom.js';
import {get} from '../api.js';
import {jobLink, number, span, state, when} from '../show.js';
import {pages} from '../list.js';

const SHOWN = 100;
/** How often slots and jobs are read again while figures are live. */
const FRESH = 5000;

export async function nodes(place, parameters) {
  const read = async () => (await get('nodes')).map(({node, places}) => ({...node, places}));
  let all = await read();
  const id = parameters.node ?? all[0]?.id;
  const list = h('div', {});
  const chosen = h('div', {});
  const draw = () => fill(list, table([
    {title: 'Node', class: 'wide', cell: node => [link('nodes', {node: node.id}, node.name, {...ROW, 'aria-current': node.id === id ? 'true' : null}), h('span', {class: 'soft small'}, ` ${node.id}`)]},
    {title: 'Heartbeat', class: 'tight', cell: node => [state(node.expired ? 'expired' : 'ok', node.expired ? 'silent' : 'alive'), ` ${span(node.silentMillis)} ago`,
      h('meter', {min: 0, max: node.leaseMillis, high: node.leaseMillis * 0.5, value: Math.min(node.leaseMillis, node.silentMillis), 'aria-label': 'part of its lease without a heartbeat'})]},
    {title: 'Lease', class: 'number tight', cell: node => span(node.leaseMillis)},
    {title: 'Since', class: 'tight', cell: node => when(node.startedAt)},
    {title: 'Slots used', class: 'tight', cell: ({places}) => places && [used(places), places.slots > 0 && h('meter', {min: 0, max: places.slots, value: places.used, 'aria-label': 'slots with a job'})]},
    {title: 'Claimed ahead', class: 'number', cell: ({places}) => places && number(places.ahead)},
    {title: 'Queues', class: 'number', cell: node => number(node.queues.length)},
  ], all, 'No node runs jobs.'));
  const drawOne = async () => id && fill(chosen, await one(id, parameters));
  fill(place, h('h1', {}, 'Nodes'), panel(null, list), chosen, words(
    ['Slot', 'a place of a queue on a node, in which one job runs at a time'],
    ['Claimed ahead', 'jobs that the node has claimed before a slot is free, so that no slot waits for the database. They run next, on this node'],
    ['Lease', 'how long a node may be silent before others may declare it dead, and take its jobs']));
  draw();
  await drawOne();
  let loaded = Date.now();
  return {live: {async nodes(now) {
    const before = new Map(all.map(node => [node.id, node]));
    all = now.map(node => ({...before.get(node.id), ...node}));
    draw();
    if (Date.now() - loaded < FRESH || parameters.before) return;
    loaded = Date.now();
    try {
      all = await read();
      draw();
      await drawOne();
    } catch {
      // The button above says that the server does not answer. The next event tries again.
    }
  }}};
}

const used = ({slots, used: with_}) => slots === null ? number(with_) : `${number(with_)} of ${number(slots)}`;

async function one(id, {before}) {
  let node;
  try {
    node = await get(`nodes/${id}`, {before});
  } catch (e) {
    return panel(`Node ${id}`, h('p', {class: 'empty'}, `It has left, or its lease has ended: ${e.message}.`));
  }
  const queues = [...node.queues].sort((a, b) => b.places.used + b.places.ahead - a.places.used - a.places.ahead);
  const crowded = new Set(queues.filter(queue => queue.places.ahead > 0 || queue.places.slots === null).map(queue => queue.queue));
  return h('div', {}, panel(`Slots of ${node.name}`, table([
    {title: 'Queue', class: 'wide', cell: one => link('jobs', {queue: one.queue, state: 'running'}, one.queue, ROW)},
    {title: 'Slots', class: 'number', cell: one => one.places.slots === null ? 'unknown' : number(one.places.slots)},
    {title: 'Used', class: 'number', cell: one => number(one.places.used)},
    {title: 'Free', class: 'number', cell: one => one.places.slots === null ? '–' : number(one.places.slots - one.places.used)},
    {title: 'Claimed ahead', class: 'number', cell: one => number(one.places.ahead)},
    {title: 'Oldest job since', class: 'tight', cell: one => when(one.oldest)},
  ], queues.slice(0, SHOWN), 'It runs jobs of no queue.', {caption: queues.length > SHOWN ? `the ${SHOWN} of ${number(queues.length)} queues with most jobs` : null})),
  panel(`What ${node.name} has claimed`, table([
    {title: 'Job', class: 'tight', cell: job => jobLink(job.id)},
    {title: 'Queue', cell: job => job.queue},
    {title: 'Type', cell: job => job.type},
    {title: 'Slot', cell: job => crowded.has(job.queue) ? h('span', {title: 'The queue has more jobs here than slots. Only the node knows which of them run.'}, 'has one, or waits for one') : 'has one'},
    {title: 'Claimed', class: 'tight', cell: job => when(job.startedAt)},
    {title: 'Attempt', class: 'number', cell: job => job.attempt},
    {title: 'Progress', class: 'number', cell: job => job.progress === null ? '–' : `${job.progress} %`},
  ], node.jobs, 'Nothing at this moment.'), pages('nodes', {node: id, before}, node.next, 'Older jobs')));
}
