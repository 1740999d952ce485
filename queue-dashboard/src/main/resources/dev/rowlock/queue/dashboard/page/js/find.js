// One box that finds a job by its id, key, unique key or type, a queue, and a workflow.
import {h, fill, button, link, ROW} from './dom.js';
import {get} from './api.js';
import {jobState, NOT_DONE, state} from './show.js';
import {known} from './live.js';

/** What jobs are found by: a name, and the filter, or null if the text cannot be one. */
const JOBS = [
  ['Key', text => ({key: text})],
  ['Type', text => ({type: text})],
  ['Unique key', text => /.\/./.test(text) ? {type: text.slice(0, text.indexOf('/')), uniqueKey: text.slice(text.indexOf('/') + 1)} : null],
];
const ID = /^[1-9]\d{0,17}$/;

export function find() {
  const found = h('div', {role: 'status', class: 'stack'});
  const input = h('input', {name: 'text', autocomplete: 'off', maxLength: 2000, required: true, 'aria-label': 'Id, key, unique key, type, queue or workflow'});
  const form = h('form', {class: 'row', role: 'search', 'aria-label': 'Everything'}, input, h('button', {class: 'main'}, 'Find'), button('Close', () => dialog.close()));
  const dialog = h('dialog', {'aria-labelledby': 'find-title', onclose: () => dialog.remove()},
    h('h2', {id: 'find-title'}, 'Find'), h('p', {class: 'soft'}, 'All of an id of a job or workflow, a key, a type, a queue, the name of a recent workflow; a unique key as type/key.'), form, found);
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    fill(found, h('p', {class: 'soft'}, 'looking …'));
    const lines = (await Promise.all([byId(text), queues(text), workflows(text), ...asked(text).map(([label, filter]) => jobs(label, filter, text))])).flat();
    if (input.value.trim() !== text) return;
    fill(found, lines.length ? h('ul', {class: 'found'}, lines.map(line => h('li', {}, line)))
      : [h('p', {class: 'empty'}, 'Nothing that has not completed has this as its id, key, unique key, type or name.'),
        h('p', {}, 'Among completed jobs, which takes longer, look for it as ', asked(text).map(([label, filter], i) => [i ? ', ' : '', link('jobs', filter, label.toLowerCase(), ROW)]), '.')]);
  });
  found.addEventListener('click', event => { if (event.target.closest('a')) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  input.focus();
}

/** An error is said in place of what it kept from being found. */
async function looking(what, look) {
  try {
    return await look();
  } catch (e) {
    return [h('span', {class: 'error', role: 'alert'}, `${what}: ${e.message}`)];
  }
}

/** By the page of a list that begins with it: to ask for what is not there would be an error for the browser. */
const byId = async text => {
  if (!ID.test(text)) return [];
  const page = {before: String(BigInt(text) + 1n), size: 1};
  return (await Promise.all([
    looking('Job', async () => (await get('jobs', page)).jobs.filter(job => job.id === text)
      .map(job => [link(`jobs/${text}`, {}, `Job ${text}`, ROW), ' ', job.type, ' ', jobState(job.state)])),
    looking('Workflow', async () => (await get('workflows', page)).workflows.filter(one => one.id === text).map(workflow)),
  ])).flat();
};

const workflow = one => [link(`workflows/${one.id}`, {}, `Workflow ${one.id}`, ROW), ' ', one.name, ' ', state(one.state)];

const asked = text => JOBS.map(([label, filter]) => [label, filter(text)]).filter(([, filter]) => filter);

const jobs = (label, filter, text) => looking(label, async () => {
  const {jobs: [one]} = await get('jobs', {...filter, state: NOT_DONE, size: 1});
  return one ? [[link('jobs', {...filter, state: NOT_DONE}, `${label} ${text}`, ROW), ': jobs that have not completed. ', link('jobs', filter, 'All of them')]] : [];
});

const queues = async text => (known('queues') ?? []).some(one => one.queue === text) ? [[link('jobs', {queue: text, state: NOT_DONE}, `Queue ${text}`, ROW), ': jobs that have not completed']] : [];

const workflows = text => looking('Workflows', async () => (await get('workflows')).workflows.filter(one => one.name === text).map(workflow));
