// Workflows and batches: a list, and one with its steps as a picture.
import {h, fill, table, panel, button, link, ROW} from '../dom.js';
import {get, may, post} from '../api.js';
import {between, jobLink, jobState, number, span, state, when} from '../show.js';
import {graph, stepState} from '../graph.js';
import {ask, say, trying} from '../act.js';
import {pages} from '../list.js';

const lasted = one => one.endedAt ? span(between(one.startedAt, one.endedAt)) : '–';
const shown = label => state({cancelling: 'warn'}[label] ?? label, label);

export async function workflows(place, parameters) {
  const page = await get('workflows', parameters);
  fill(place, h('h1', {}, 'Workflows'), panel(null, table([
    {title: 'Workflow', class: 'wide', cell: one => [link(`workflows/${one.id}`, {}, one.name, ROW), h('span', {class: 'soft small'}, ` ${one.id}`)]},
    {title: 'State', class: 'tight', cell: one => shown(one.state)},
    {title: 'Started', class: 'tight', cell: one => when(one.startedAt)},
    {title: 'Ended', class: 'tight', cell: one => when(one.endedAt)},
    {title: 'Lasted', class: 'number tight', cell: lasted},
  ], page.workflows, 'No workflow has been started.'),
  pages('workflows', parameters, page.next, 'Older workflows')));
}

export async function workflowPage(place, id, reload) {
  let all = await get(`workflows/${id}`);
  const head = h('div', {class: 'head'});
  const picture = h('div', {});
  const steps = h('div', {});
  const members = h('div', {});
  function draw() {
    const running = all.workflow.state === 'running';
    fill(head, h('h1', {}, all.workflow.name, ' ', shown(all.workflow.state)), h('div', {class: 'row'},
      running && may('OPERATOR') && button('Cancel…', () => ask({
        title: `Cancel workflow ${all.workflow.name}`, text: 'Its jobs that have not ended are cancelled, and those of workflows that they started. Running ones are asked to stop.',
        confirm: `Cancel: ${number(all.counts.open)} open ${all.counts.open === 1 ? 'job' : 'jobs'}`, danger: true, done: reload,
        async action({why}) {
          const {changed} = await post(`workflows/${id}/cancel`, {why});
          say(changed ? 'It is being cancelled.' : 'It does not run any more.', !changed);
        },
      }), {data: {cancel: ''}})));
    fill(picture, graph(all.steps));
    fill(steps, table([
      {title: 'Step', class: 'wide', cell: step => [button(step.name, () => list(step.name), {'aria-label': `Jobs of step ${step.name}`, data: {row: ''}}), step.accepts && [' ', state('info', 'accepts jobs')]]},
      {title: 'State', class: 'tight', cell: step => state(stepState(step))},
      {title: 'After', class: 'wide', cell: step => Object.entries(step.parents).map(([name, after]) => h('div', {class: 'small'}, name, after === 'success' ? '' : ` (${after.replaceAll('-', ' ')})`))},
      ...['open', 'completed', 'dead', 'cancelled', 'skipped'].map(name => ({title: name[0].toUpperCase() + name.slice(1), class: 'number', cell: step => number(step.counts[name])})),
    ], all.steps, 'It has no steps.'));
  }
  const list = (step, after) => trying(async () => {
    const page = await get(`workflows/${id}/jobs`, {step, after});
    fill(members, panel(`Jobs of ${step}`, table([
      {title: 'Job', cell: one => one.job ? jobLink(one.job) : link(`workflows/${one.workflow}`, {}, `workflow ${one.workflow}`, ROW)},
      {title: 'State', cell: one => one.job ? jobState(one.state.toLowerCase()) : state(one.state)},
    ], page.members, 'It has no jobs yet.'), page.next && button('More', () => list(step, page.next))));
  });
  fill(place, head, h('p', {class: 'soft'}, 'Started ', when(all.workflow.startedAt), all.workflow.endedAt && [', lasted ', lasted(all.workflow)],
    all.within && [', started by a job of ', h('a', {href: `#/workflows/${all.within}`}, `workflow ${all.within}`)]), panel(null, picture), panel('Steps', steps), members);
  draw();
  return {live: {workflow(now) {
    if (now.workflow.id !== id) return;
    all = now;
    draw();
  }}};
}
