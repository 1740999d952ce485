// Elements from values. Texts only ever become text nodes: nothing that a job carries is read as HTML.
import {address} from './api.js';

/** h('a', {href: '#/jobs', class: 'wide'}, 'text', node, [more], null) */
export function h(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'data') Object.assign(node.dataset, value);
    else if (name in node && typeof value !== 'string') node[name] = value;
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, SPOKEN.has(name) ? visible(value) : value);
  }
  node.append(...nodes(children));
  return node;
}

const SPOKEN = new Set(['title', 'aria-label']);

/** Characters that nobody sees, and that may turn the text around them. */
const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const visible = text => text.replace(HIDDEN, one => '\\u' + one.charCodeAt(0).toString(16).padStart(4, '0'));

/** Text that is written from right to left leaves what stands beside it in its place. */
function textNode(text) {
  const node = document.createTextNode(visible(text));
  if (!LEFTWARDS.test(text)) return node;
  const apart = document.createElement('bdi');
  apart.append(node);
  return apart;
}

const nodes = (children, make = textNode) => children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false)
  .map(child => child instanceof Node ? child : make(String(child)));

const same = node => node.ariaLabel ?? node.href ?? node.textContent;

/** The focus stays where it was, if the same link or button is there again. */
export function fill(node, ...children) {
  const focus = node.contains(document.activeElement) && same(document.activeElement);
  node.replaceChildren(...nodes(children));
  if (focus) [...node.querySelectorAll('a, button, summary')].find(one => same(one) === focus)?.focus({preventScroll: true});
}

/** Not while a dialog is open: the rest of the page takes no focus then. */
export const focusMain = () => document.getElementById('main').focus({preventScroll: true});

/** Columns: {title, class, cell(row)}. */
export function table(columns, rows, empty, {caption} = {}) {
  if (!rows.length) return h('p', {class: 'empty'}, empty);
  const names = columns.findIndex(column => typeof column.title === 'string'); // the rows
  return h('div', {class: 'scroll'}, h('table', {},
    caption && h('caption', {class: 'small soft'}, caption),
    h('thead', {}, h('tr', {}, columns.map(column =>
      h('th', {class: column.class, scope: 'col'}, column.title || h('span', {class: 'unseen'}, column.label))))),
    h('tbody', {}, rows.map(row => h('tr', {},
      columns.map((column, i) => h('td', {class: column.class, role: i === names && 'rowheader', data: {label: typeof column.title === 'string' ? column.title : ''}},
        column.cell(row))))))));
}

export const panel = (title, ...children) =>
  h('section', {class: 'panel', 'aria-label': title}, title && h('h2', {}, title), ...children);

export const button = (text, onclick, properties = {}) => h('button', {type: 'button', onclick, ...properties}, text);

/** A link to a page of ours, with parameters. */
export const link = (path, parameters, text, more) => h('a', {href: `#/${address(path, parameters)}`, ...more}, text);
/** What a line is found by: the keys j and k stop there. */
export const ROW = {data: {row: ''}};

/** What words of a page mean, to be opened where they stand. */
export const words = (...pairs) => h('details', {class: 'small words'}, h('summary', {}, 'What the words mean'),
  h('dl', {class: 'facts'}, pairs.map(([word, meaning]) => [h('dt', {}, word), h('dd', {}, meaning)])));

/** Text whose lines are not broken, and a button that copies it. */
export function code(text, what) {
  const pre = h('pre', {tabindex: '0', class: 'code'}, text);
  const copy = button('Copy', async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch { // only https and localhost have it
      getSelection().selectAllChildren(pre);
      document.execCommand('copy');
    }
    fill(copy, 'Copied');
    setTimeout(() => fill(copy, 'Copy'), 2000);
  }, {class: 'copy', 'aria-label': `Copy ${what}`});
  return h('div', {class: 'codes'}, copy, pre);
}

/** A time of the viewer's. Years beyond 9999 are no times of a browser's. */
export const timeInput = properties => h('input', {type: 'datetime-local', step: '1', max: '9999-12-31T23:59:59', ...properties});

export const field = (label, input) => h('label', {class: 'field'}, label, input);

/** As h, for pictures. */
export function svg(tag, properties, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  node.append(...nodes(children, text => document.createTextNode(visible(text))));
  return node;
}
