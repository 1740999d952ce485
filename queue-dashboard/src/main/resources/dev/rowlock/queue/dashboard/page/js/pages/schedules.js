// Recurring jobs: when they run next, and how they went.
import {h, fill, table, panel, button} from '../dom.js';
import {get, may, post, query} from '../api.js';
import {jobLink, number, span, state, time, when} from '../show.js';
import {ask, say} from '../act.js';

export async function schedules(place, parameters, reload) {
  const all = await get('schedules');
  const list = h('div', {});
  const search = h('input', {type: 'search', 'aria-label': 'Find a recurring job', placeholder: 'Find by name', value: parameters.name ?? '', data: {search: ''}, oninput: () => draw()});
  const draw = () => fill(list, table([
    {title: 'Name', class: 'wide', cell: job => [
      h('a', {href: `#/jobs?${query({type: job.type, queue: job.queue})}`, data: {row: ''}}, job.name), job.paused && [' ', state('paused')], job.retired && [' ', state('retired')],
      h('div', {class: 'soft small'}, `${job.type} on ${job.queue}`)]},
    {title: 'When', class: 'wide', cell: job => [h('code', {}, job.schedule),
      h('div', {class: 'soft small'}, `overlap ${job.overlap.toLowerCase()}`, job.jitterMillis ? `, jitter ${span(job.jitterMillis)}` : '', job.declared ? ', declared in code' : '')]},
    {title: 'Next five', class: 'tight', cell: job => job.next.length ? h('details', {}, h('summary', {}, when(job.next[0])), job.next.slice(1).map(at => h('div', {class: 'small'}, time(at)))) : '–'},
    {title: 'Last run', class: 'tight', cell: job => [when(job.lastRun), job.lastJob && h('div', {class: 'small'}, 'job ', jobLink(job.lastJob), ' ', job.lastState && state(job.lastState))]},
    {title: 'Skipped', class: 'number', cell: job => number(job.skipped)},
    ...(may('OPERATOR') ? [{title: '', label: 'Actions', class: 'tight', cell: job => h('div', {class: 'row'}, tools(job, reload))}] : []),
  ], all.filter(job => job.name.toLowerCase().includes(search.value.trim().toLowerCase())).slice(0, 300), all.length ? 'None has this in its name.' : 'There are no recurring jobs.'));
  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Schedules'), search), panel(null, list));
  draw();
}

function tools(job, reload) {
  const act = (path, title, confirm, said, danger) => ask({
    title: `${title} ${job.name}`, confirm, danger, done: reload,
    async action({why}) {
      const answer = await post(`schedules/${path}`, {name: job.name, why});
      say(answer.job ? `Job ${answer.job} is enqueued.` : said);
    },
  });
  return [
    button('Run now…', () => act('run', 'Run', 'Run 1 job now'), {'aria-label': `Run ${job.name} now`}),
    job.paused ? button('Resume…', () => act('resume', 'Resume', 'Resume', 'It runs again.'), {'aria-label': `Resume ${job.name}`})
      : button('Pause…', () => act('pause', 'Pause', 'Pause', 'It is paused.'), {'aria-label': `Pause ${job.name}`}),
    may('ADMIN') && (!job.declared || job.retired) && button('Delete…', () => act('delete', 'Delete', 'Delete 1 recurring job', 'It is deleted.', true), {'aria-label': `Delete ${job.name}`}),
  ];
}
