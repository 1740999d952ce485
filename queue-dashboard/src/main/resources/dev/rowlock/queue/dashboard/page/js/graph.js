// The steps of a workflow as a picture.
import {h, svg} from './dom.js';
import {number} from './show.js';

const WIDTH = 180;
const HEIGHT = 52;
const GAP_X = 64;
const GAP_Y = 18;
const LETTERS = 20;

export function graph(steps) {
  const columns = layers(steps);
  const places = new Map();
  columns.forEach((column, x) => column.forEach((step, y) => places.set(step.name, {x: 4 + x * (WIDTH + GAP_X), y: 4 + y * (HEIGHT + GAP_Y)})));
  const width = columns.length * (WIDTH + GAP_X) - GAP_X + 8;
  const height = Math.max(...columns.map(column => column.length)) * (HEIGHT + GAP_Y) - GAP_Y + 8;
  return h('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Steps as a picture'},
    svg('svg', {class: 'graph', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': steps.map(describe).join('; ')},
      steps.flatMap(step => Object.entries(step.parents).map(([parent, after]) => arrow(places.get(parent), places.get(step.name), after))),
      steps.map(step => box(step, places.get(step.name)))));
}

/** Each step stands one column behind the last of those that it waits for. */
function layers(steps) {
  const byName = new Map(steps.map(step => [step.name, step]));
  const depths = new Map();
  const depth = step => {
    if (!depths.has(step.name)) {
      depths.set(step.name, 0);
      depths.set(step.name, Math.max(0, ...Object.keys(step.parents).filter(name => byName.has(name)).map(name => depth(byName.get(name)) + 1)));
    }
    return depths.get(step.name);
  };
  const columns = [];
  steps.forEach(step => (columns[depth(step)] ??= []).push(step));
  return columns;
}

export function stepState({waiting, accepts, counts}) {
  if (counts.dead) return 'failed';
  if (counts.open || accepts) return waiting ? 'waiting' : 'running';
  if (counts.completed) return counts.cancelled ? 'cancelled' : 'completed';
  return counts.skipped ? 'skipped' : counts.cancelled ? 'cancelled' : 'completed';
}

const total = ({counts}) => counts.open + counts.completed + counts.dead + counts.cancelled + counts.skipped;

const describe = step => `${step.name}: ${stepState(step)}, ${number(step.counts.completed)} of ${number(total(step))} completed`
  + (Object.keys(step.parents).length ? `, after ${Object.keys(step.parents).join(' and ')}` : '');

function box(step, {x, y}) {
  const name = step.name.length > LETTERS ? step.name.slice(0, LETTERS - 1) + '…' : step.name;
  const share = total(step) ? step.counts.completed / total(step) : 0;
  return svg('g', {class: stepState(step), transform: `translate(${x} ${y})`},
    svg('title', {}, describe(step)),
    svg('rect', {class: 'box', width: WIDTH, height: HEIGHT, rx: 7}),
    svg('rect', {class: 'share', width: Math.round(WIDTH * share), height: 4, y: HEIGHT - 4, rx: 2}),
    svg('text', {class: 'name', x: 10, y: 20}, name),
    svg('text', {class: 'note', x: 10, y: 38}, `${stepState(step)} · ${number(step.counts.completed)} of ${number(total(step))}`));
}

function arrow(from, to, after) {
  if (!from || !to) return null;
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return svg('g', {class: `arrow ${after}`}, svg('title', {}, `after ${after}`),
    svg('path', {d: `M${x1} ${y1} C${middle} ${y1} ${middle} ${y2} ${x2 - 6} ${y2}`, fill: 'none'}),
    svg('path', {class: 'head', d: `M${x2 - 7} ${y2 - 4} L${x2} ${y2} L${x2 - 7} ${y2 + 4} Z`}));
}
