// Who did what, when and why.
import {h, fill, table, panel, field} from '../dom.js';
import {get, query} from '../api.js';
import {jobLink, local, number, time} from '../show.js';

export async function audit(place, parameters) {
  const page = await get('audit', parameters);
  const search = h('form', {class: 'filters', role: 'search', 'aria-label': 'Audit'},
    [['who', 'Who'], ['action', 'What'], ['subject', 'To what']].map(([name, title]) => field(title, h('input', {name, value: parameters[name] ?? '', autocomplete: 'off', data: name === 'who' ? {search: ''} : {}}))),
    [['from', 'From'], ['until', 'Until']].map(([name, title]) => field(`${title} (your time)`, h('input', {type: 'datetime-local', step: '1', name, value: local(parameters[name])}))),
    h('button', {class: 'main'}, 'Search'), h('a', {class: 'button', href: '#/audit'}, 'Reset'));
  search.addEventListener('submit', event => {
    event.preventDefault();
    const wanted = Object.fromEntries(new FormData(search));
    for (const end of ['from', 'until']) if (wanted[end]) wanted[end] = new Date(wanted[end]).toISOString();
    location.hash = `#/audit?${query(wanted)}`;
  });
  fill(place, h('h1', {}, 'Audit'), panel(null, search), panel(null, table([
    {title: 'When', class: 'tight', cell: line => time(line.at)},
    {title: 'Who', cell: line => line.who},
    {title: 'What', cell: line => line.bulkAction ? h('a', {href: '#/actions', data: {row: ''}}, line.action) : line.action},
    {title: 'To what', class: 'wide', cell: line => [subject(line.subject), line.detail && h('div', {class: 'soft small'}, line.detail)]},
    {title: 'Jobs', class: 'number', cell: line => [number(line.jobs), line.refused ? ` (${number(line.refused)} refused)` : '']},
    {title: 'Why', class: 'wide', cell: line => line.why ?? h('span', {class: 'soft'}, '–')},
  ], page.lines, 'Nobody has done anything.'),
  h('div', {class: 'row'}, parameters.before && h('a', {class: 'button', href: `#/audit?${query({...parameters, before: ''})}`}, 'Newest'),
    page.next && h('a', {class: 'button', href: `#/audit?${query({...parameters, before: page.next})}`}, 'Older lines'))));
}

function subject(text) {
  const job = /^job (\d+)$/.exec(text);
  return job ? ['job ', jobLink(job[1])] : text;
}
