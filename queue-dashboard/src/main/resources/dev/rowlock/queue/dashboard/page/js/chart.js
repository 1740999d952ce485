// Lines over time, by uPlot, in colours of the style sheet.
import {h, svg} from './dom.js';

const clock = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', hour12: false});

/** Series: {label, colour: '--busy'}. Returns {node, draw(data), stop()}; data is [[seconds…], [values…], …]. */
export function chart(label, series, height = 170) {
  const place = h('div', {class: 'chart', role: 'img', 'aria-label': label});
  const legend = h('div', {class: 'legend', 'aria-hidden': 'true'}, series.map(one => h('span', {}, one.label)));
  legend.querySelectorAll('span').forEach((node, i) => { node.style.color = `var(${series[i].colour})`; });
  const node = h('div', {}, place, legend);
  let plot = null;
  let data = null;
  const colour = name => {
    place.style.color = `var(${name})`;
    return getComputedStyle(place).color;
  };
  const make = () => {
    if (!data || !place.clientWidth) return;
    plot?.destroy();
    const axis = {stroke: colour('--soft'), grid: {stroke: colour('--line'), width: 1}, ticks: {stroke: colour('--line')}};
    plot = new uPlot({
      width: place.clientWidth, height, legend: {show: false}, cursor: {show: false},
      axes: [{...axis, values: (_, ticks) => ticks.map(tick => clock.format(tick * 1000))}, {...axis, size: 55}],
      scales: {y: {range: (_, min, max) => [0, Math.max(1, max * 1.1)]}},
      series: [{}, ...series.map(one => ({label: one.label, stroke: colour(one.colour), width: 1.75, points: {show: false}}))],
    }, data, place);
  };
  const sizes = new ResizeObserver(() => plot && plot.setSize({width: place.clientWidth, height}));
  sizes.observe(place);
  const themed = () => make();
  document.addEventListener('themechange', themed);
  return {
    node,
    draw(values) {
      data = values;
      if (plot) plot.setData(data);
      else make();
      place.setAttribute('aria-label', `${label}: ${series.map((one, i) => `${one.label} ${data[i + 1].at(-1) ?? 'unknown'}`).join(', ')}`);
    },
    stop() {
      sizes.disconnect();
      document.removeEventListener('themechange', themed);
      plot?.destroy();
    },
  };
}

/** A line so small that it fits into a table. */
export function spark(label, values) {
  const most = Math.max(1, ...values);
  const points = values.map((value, i) => `${(i * 100 / (values.length - 1)).toFixed(1)},${(19 - value * 18 / most).toFixed(1)}`).join(' ');
  return svg('svg', {class: 'spark', viewBox: '0 0 100 20', preserveAspectRatio: 'none', role: 'img', 'aria-label': label},
    svg('polyline', {points, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.25, 'vector-effect': 'non-scaling-stroke'}));
}
