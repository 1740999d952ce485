// Who runs jobs, and whether it is alive.
import {h, fill, table, panel} from '../dom.js';
import {get, query} from '../api.js';
import {jobLink, number, span, state, when} from '../show.js';

const MOST = 200;
const SHOWN = 5;

export async function nodes(place) {
  let [all, page] = await Promise.all([get('nodes'), get('jobs', {state: 'running', size: MOST})]);
  const list = h('div', {});
  const draw = () => fill(list, table([
    {title: 'Node', class: 'wide', cell: node => [h('a', {href: `#/jobs?${query({node: node.name, state: 'running'})}`, data: {row: ''}}, node.name), h('span', {class: 'soft small'}, ` ${node.id}`)]},
    {title: 'Heartbeat', class: 'tight', cell: node => [state(node.expired ? 'expired' : 'ok', node.expired ? 'silent' : 'alive'), ` ${span(node.silentMillis)} ago`,
      h('meter', {min: 0, max: node.leaseMillis, high: node.leaseMillis * 0.5, value: Math.min(node.leaseMillis, node.silentMillis), 'aria-label': 'part of its lease without a heartbeat'})]},
    {title: 'Lease', class: 'number', cell: node => span(node.leaseMillis)},
    {title: 'Since', class: 'tight', cell: node => when(node.startedAt)},
    {title: 'Runs now', class: 'wide', cell: node => runs(node, page)},
    {title: 'Queues', class: 'wide', cell: node => [number(node.queues.length), ': ', node.queues.slice(0, 8).join(', '), node.queues.length > 8 && h('details', {class: 'small'}, h('summary', {}, 'all'), node.queues.join(', '))]},
  ], all, 'No node runs jobs.', {key: node => node.id}));
  fill(place, h('h1', {}, 'Nodes'), panel(null, list));
  draw();
  return {live: {nodes(now) {
    if (list.contains(document.activeElement)) return; // it would take the focus away
    const before = new Map(all.map(node => [node.id, node]));
    all = now.map(node => ({...before.get(node.id), ...node}));
    draw();
  }}};
}

function runs(node, page) {
  const jobs = page.jobs.filter(job => job.node === node.id);
  if (!jobs.length) return h('span', {class: 'soft'}, page.next ? `none of the newest ${MOST}` : 'nothing');
  const line = job => h('div', {class: 'small'}, jobLink(job.id), ` ${job.type} since `, when(job.startedAt));
  return [h('div', {}, `${number(jobs.length)}${page.next ? ` of the newest ${MOST}` : ''}`), jobs.slice(0, SHOWN).map(line),
    jobs.length > SHOWN && h('details', {class: 'small'}, h('summary', {}, 'all'), jobs.slice(SHOWN).map(line))];
}
