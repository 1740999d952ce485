// Who did what, when and why.
import {h, fill, table, panel} from '../dom.js';
import {get} from '../api.js';
import {jobLink, number, time} from '../show.js';
import {pages, searchForm} from '../list.js';

export async function audit(place, parameters) {
  const page = await get('audit', parameters);
  const search = searchForm('audit', 'Audit', [['who', 'Who'], ['action', 'What'], ['subject', 'To what'], ['from', 'From', true], ['until', 'Until', true]], parameters, 'who');
  fill(place, h('h1', {}, 'Audit'), panel(null, search), panel(null, table([
    {title: 'When', class: 'tight', cell: line => time(line.at)},
    {title: 'Who', cell: line => line.who},
    {title: 'What', cell: line => line.bulkAction ? h('a', {href: '#/actions', data: {row: ''}}, line.action) : line.action},
    {title: 'To what', class: 'wide', cell: line => [subject(line.subject), line.detail && h('div', {class: 'soft small'}, line.detail)]},
    {title: 'Jobs', class: 'number', cell: line => [line.jobs ? number(line.jobs) : '–', line.refused ? ` (${number(line.refused)} refused)` : '']},
    {title: 'Why', class: 'wide', cell: line => line.why ?? h('span', {class: 'soft'}, '–')},
  ], page.lines, 'Nobody has done anything.'),
  pages('audit', parameters, page.next, 'Older lines')));
}

function subject(text) {
  const job = /^job (\d+)$/.exec(text);
  return job ? ['job ', jobLink(job[1])] : text;
}
