// Recurring jobs: when they run next, and how they went.
import {h, fill, table, panel, button, link, ROW} from '../dom.js';
import {get, may, post} from '../api.js';
import {number, span, state, time, when} from '../show.js';
import {ask, say} from '../act.js';
import {actionColumn, pages, searchForm} from '../list.js';

const MARKS = {completed: '✓', dead: '✗', quarantined: '✗', cancelled: '–', running: '▸'};

export async function schedules(place, parameters, reload) {
  const found = await get('schedules', parameters);
  fill(place, h('div', {class: 'row'}, h('h1', {}, 'Schedules'), h('span', {class: 'soft'}, `${number(found.all)} recurring ${found.all === 1 ? 'job' : 'jobs'}`)),
    panel(null, searchForm('schedules', 'Recurring jobs', [['find', 'Name']], parameters, 'find')), panel(null, table([
    {title: 'Name', class: 'wide', cell: job => [
      link('jobs', {type: job.type, queue: job.queue}, job.name, ROW), job.paused && [' ', state('paused')], job.retired && [' ', state('retired')],
      h('div', {class: 'soft small'}, `${job.type} on ${job.queue}`)]},
    {title: 'When', class: 'wide', cell: job => [h('code', {}, job.schedule),
      h('div', {class: 'soft small'}, `overlap ${job.overlap.toLowerCase()}`, job.jitterMillis ? `, jitter ${span(job.jitterMillis)}` : '', job.declared ? ', declared in code' : '')]},
    {title: 'Next five (your time)', class: 'tight', cell: job => job.next.length ? h('details', {}, h('summary', {}, when(job.next[0])), job.next.slice(1).map(at => h('div', {class: 'small'}, time(at)))) : '–'},
    {title: 'Last runs', class: 'tight', cell: job => [(job.lastRun || !job.runs.length) && when(job.lastRun), h('div', {class: 'row marks'}, job.runs.map(outcome))]},
    {title: 'Skipped', class: 'number', cell: job => number(job.skipped)},
    ...actionColumn(job => tools(job, reload)),
  ], found.schedules, parameters.find ? 'None has this in its name.' : 'There are no recurring jobs.'), pages('schedules', parameters, found.next, 'More', 'after')));
}

/** The newest run first. */
function outcome(run) {
  const text = `job ${run.job}: ${run.state ?? 'not kept any more'}`;
  const more = {class: `state ${run.state ?? 'soft'}`, title: text, 'aria-label': text};
  return run.state ? link(`jobs/${run.job}`, {}, MARKS[run.state] ?? '·', more) : h('span', {...more, role: 'img'}, '?');
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
