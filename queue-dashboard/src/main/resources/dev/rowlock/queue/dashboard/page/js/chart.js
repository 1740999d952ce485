// Lines over time, drawn as SVG: they take their colours from the style sheet and their width from their place. Each minute says its figures on hover.
import {h, fill, svg} from './dom.js';
import {number} from './show.js';

const clock = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', hour12: false});
const MINUTE = 60000;
const LABEL_EACH = 15;

/** Series: {label, kind}, with kind a class that has a colour. Returns {node, draw(from, values)}: an instant, and for each series a value for each minute. */
export function chart(label, series) {
  const place = h('div', {class: 'chart', role: 'img', 'aria-label': label});
  const legend = h('div', {class: 'legend', 'aria-hidden': 'true'}, series.map(one => h('span', {class: one.kind}, one.label)));
  return {
    node: h('div', {}, place, legend),
    draw(from, values) {
      const ticks = scale(Math.max(...values.flat()));
      const last = values[0].length - 1;
      const y = value => 100 - value * 100 / ticks.at(-1);
      const minutes = values[0].map((_, i) => i);
      const time = minute => clock.format(new Date(from).getTime() + minute * MINUTE);
      const figures = minute => series.map((one, i) => `${one.label} ${number(values[i][minute])}`).join(', ');
      fill(place,
        svg('svg', {viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true'},
          ticks.map(tick => line('grid', [[0, y(tick)], [100, y(tick)]])),
          series.map((one, i) => line(one.kind, values[i].map((value, minute) => [minute * 100 / last, y(value)]))),
          minutes.map(i => svg('rect', {x: (i - .5) * 100 / last, width: 100 / last, height: 100}, svg('title', {}, `${time(i)}: ${figures(i)}`)))),
        ticks.map(tick => at('top', y(tick), h('span', {class: 'y'}, number(tick)))),
        minutes.filter(i => i % LABEL_EACH === 0).map(i => at('left', i * 100 / last, h('span', {class: 'x'}, time(i)))));
      place.setAttribute('aria-label', `${label}, last: ${figures(last)}`);
    },
  };
}

/** 0 and some even steps, until nothing is above the last of them. */
function scale(most) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most / 4)));
  const step = [1, 2, 5, 10].map(one => one * power).find(one => one * 4 >= most);
  return Array.from({length: Math.max(1, Math.ceil(most / step)) + 1}, (_, i) => i * step);
}

const line = (kind, points) => svg('polyline', {
  class: kind, points: points.map(point => point.map(one => one.toFixed(1)).join()).join(' '), fill: 'none', stroke: 'currentColor', 'vector-effect': 'non-scaling-stroke'});

function at(side, percent, node) {
  node.style[side] = `${percent}%`;
  return node;
}

/** A line so small that it fits into a table. */
export function spark(label, values) {
  const most = Math.max(1, ...values);
  return svg('svg', {class: 'spark', viewBox: '0 0 100 20', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    line('', values.map((value, i) => [i * 100 / (values.length - 1), 19 - value * 18 / most])));
}
