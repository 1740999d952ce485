// Dead jobs by kinds of error, and one action for each kind.
import {h, fill, table, panel, button, field} from '../dom.js';
import {get, may, query} from '../api.js';
import {jobLink, number, shortClass, when} from '../show.js';
import {actOnAll} from '../act.js';

export async function errors(place, parameters, reload) {
  const {afterJobs, afterGroup, ...filter} = parameters;
  const page = await get('errors', parameters);
  const search = h('form', {class: 'filters', role: 'search', 'aria-label': 'Errors'},
    ['queue', 'type', 'error'].map((name, i) => field(['Queue', 'Type', 'Text of the error'][i],
      h('input', {name, value: filter[name] ?? '', autocomplete: 'off', data: i === 2 ? {search: ''} : {}}))),
    h('button', {class: 'main'}, 'Search'), h('a', {class: 'button', href: '#/errors'}, 'Reset'));
  search.addEventListener('submit', event => {
    event.preventDefault();
    location.hash = `#/errors?${query(Object.fromEntries(new FormData(search)))}`;
  });
  const of = group => ({...filter, fingerprint: group.fingerprint, state: 'failed,quarantined'});
  fill(place, h('h1', {}, 'Errors'), panel(null, search),
    panel(null, table([
      {title: 'Error', class: 'wide', cell: group => [
        h('a', {href: `#/jobs?${query(of(group))}`, data: {row: ''}}, group.errorType ? shortClass(group.errorType) : 'no error'),
        h('div', {class: 'error small clip'}, group.message), group.thrownBy && h('div', {class: 'soft small'}, 'in ', group.thrownBy)]},
      {title: 'Jobs', class: 'number', cell: group => number(group.jobs)},
      {title: 'First', class: 'tight', cell: group => when(group.firstAt)},
      {title: 'Last', class: 'tight', cell: group => when(group.lastAt)},
      {title: 'Newest job', class: 'tight', cell: group => jobLink(group.newestJob)},
      ...(may('OPERATOR') ? [{title: '', label: 'Actions', class: 'tight', cell: group => h('div', {class: 'row'},
        button('Redrive…', () => actOnAll('redrive', of(group), reload), {data: {all: 'redrive'}, 'aria-label': `Redrive the ${number(group.jobs)} jobs of ${group.errorType}`}),
        may('ADMIN') && button('Delete…', () => actOnAll('discard', of(group), reload), {data: {all: 'discard'}, 'aria-label': `Delete the ${number(group.jobs)} jobs of ${group.errorType}`}))}] : []),
    ], page.groups, 'No job is dead.', {key: group => group.fingerprint}),
    page.next && h('a', {class: 'button', href: `#/errors?${query({...filter, ...page.next})}`}, 'Smaller groups')));
}
