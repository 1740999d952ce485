// Dead jobs, and jobs that are retried, by kinds of error, and one action for each kind.
import {h, fill, table, panel, button, link, words, ROW} from '../dom.js';
import {get, may} from '../api.js';
import {DEAD, number, shortClass, when} from '../show.js';
import {VERBS, actOnAll, runGroup} from '../act.js';
import {spark} from '../chart.js';
import {actionColumn, newsOf, searchForm} from '../list.js';

export async function errors(place, parameters, reload) {
  const {afterJobs, afterGroup, ...filter} = parameters;
  const [page, retried] = await Promise.all([get('errors', parameters), get('errors/retrying', filter).catch(e => ({groups: [], trouble: e.message}))]);
  const search = searchForm('errors', 'Errors', [['queue', 'Queue'], ['type', 'Type'], ['error', 'Text of the error']], filter, 'error');
  const groups = (rows, state, empty, actions) => {
    const of = group => ({...filter, fingerprint: group.fingerprint, state, ...(group.dueUntil && {dueUntil: group.dueUntil})});
    const act = (verb, name, group, run) => button(`${verb}…`, () => run(of(group), `They failed with ${group.errorType}; the latest said: ${group.message}`),
      {data: {all: name}, 'aria-label': `${verb} the ${number(group.jobs)} jobs of ${group.errorType}${group.message ? ': ' + group.message : ''}`});
    return table([
      {title: 'Error', class: 'wide', cell: group => [
        link('jobs', of(group), group.errorType ? shortClass(group.errorType) : 'no error', ROW), group.thrownBy && h('span', {class: 'soft small'}, ' in ', group.thrownBy),
        group.message && h('div', {class: 'small'}, h('span', {class: 'soft'}, 'latest message, of ', h('a', {href: `#/jobs/${group.newestJob}`}, `job ${group.newestJob}`), ': '),
          h('span', {class: 'error'}, group.message))]},
      {title: 'Jobs', class: 'number', cell: group => number(group.jobs)},
      {title: 'Last 24 hours', class: 'tight', cell: group => h('span', {class: 'bad'}, spark(`failures in each of the last 24 hours: ${group.trend.join(', ')}`, group.trend))},
      {title: 'Oldest failure', class: 'tight', cell: group => when(group.firstAt)},
      {title: 'Latest failure', class: 'tight', cell: group => when(group.lastAt)},
      {title: 'Type of the latest', class: 'name', cell: group => group.type},
      ...actionColumn(group => actions(group, act)),
    ], rows, empty);
  };
  const [news, live] = newsOf(filter, reload);
  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Errors'), news), panel(null, search),
    panel('Dead', groups(page.groups, DEAD.join(), 'No job is dead.', (group, act) => [
      act('Redrive', 'redrive', group, (of, which) => actOnAll('redrive', of, reload, which)),
      may('ADMIN') && act('Discard', 'discard', group, (of, which) => actOnAll('discard', of, reload, which))]),
    page.next && link('errors', {...filter, ...page.next}, 'Kinds with fewer jobs', {class: 'button'})),
    panel('Retried', retried.trouble ? h('p', {class: 'error'}, retried.trouble) : groups(retried.groups, 'waiting,ready,running', 'No job is retried.', (group, act) => [
      act('Run now', 'run-now', group, of => runGroup(of, group.jobs, reload)),
      act('Cancel', 'cancel', group, (of, which) => actOnAll('cancel', of, reload, which))]),
    retried.complete === false && h('p', {class: 'soft small'}, 'Only the jobs that are due next were looked at.')),
    words(['Kind of error', 'errors of the same class, thrown by the same method, with the same message but for numbers, ids and quoted parts; its fingerprint is 16 digits that stand for it'],
      ['Retried', 'jobs whose last attempt failed, and that have retries left: they wait for one, or run it'],
      ['Dead', 'jobs whose last attempt failed, or that were quarantined because their nodes crashed too often: they stay until somebody redrives or discards them'],
      ...VERBS,
      ['Oldest and latest failure', 'of the jobs that are in this list now: a job that was redriven and dies again counts with its latest failure only']));
  return {live};
}
