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
    else node.setAttribute(name, value);
  }
  node.append(...nodes(children));
  return node;
}

function nodes(children) {
  return children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false)
    .map(child => child instanceof Node ? child : document.createTextNode(String(child)));
}

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

export const field = (label, input) => h('label', {class: 'field'}, label, input);

/** As h, for pictures. */
export function svg(tag, properties, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(properties)) node.setAttribute(name, value);
  node.append(...nodes(children));
  return node;
}
