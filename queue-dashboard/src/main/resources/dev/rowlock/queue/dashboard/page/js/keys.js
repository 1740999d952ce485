// The keyboard: what people know from other pages.
import {h, button} from './dom.js';
import {find} from './find.js';

const HELP = [
  ['/', 'search in this page'], ['f', 'find anything'], ['j', 'next line'], ['k', 'previous line'], ['Enter', 'open it'], ['x', 'choose it'], ['r', 'load again'],
  ['1 … 9', 'go to a page'], ['?', 'this help'], ['Esc', 'close'],
];

export function begin({reload, pages}) {
  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.target.closest('input:not([type=checkbox]), textarea, select')) return;
    const page = pages[Number(event.key) - 1];
    if (event.key === '/') document.querySelector('[data-search]')?.focus();
    else if (event.key === 'f') find();
    else if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
    else if (event.key === 'x') document.activeElement.closest('tr')?.querySelector('input[type=checkbox]')?.click();
    else if (event.key === 'r') reload();
    else if (event.key === '?') help();
    else if (page) location.hash = page;
    else return;
    event.preventDefault();
  });
}

function move(step) {
  const rows = [...document.querySelectorAll('main [data-row]')];
  if (!rows.length) return;
  const at = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, at + step))].focus();
}

export function help() {
  const dialog = h('dialog', {'aria-labelledby': 'help-title', onclose: () => dialog.remove()},
    h('h2', {id: 'help-title'}, 'Keyboard'),
    h('dl', {class: 'facts'}, HELP.map(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
    h('p', {}, button('Close', () => dialog.close())));
  document.body.append(dialog);
  dialog.showModal();
}
