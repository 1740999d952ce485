// Actions: a dialog says what will happen to how many jobs, then shows how far it is, and can stop it.
import {h, fill, focusMain, button, field, link, timeInput} from './dom.js';
import {get, post} from './api.js';
import {cappedJobs, jobs, number} from './show.js';

const CHUNK = 50;

/** What the user is told at the lower edge. */
export function say(text, bad = false) {
  const said = document.getElementById('said');
  said.className = bad ? 'bad' : '';
  fill(said, text);
  clearTimeout(say.timer);
  say.timer = setTimeout(() => fill(said), bad ? 12000 : 5000);
}

/** Runs what may fail, and says so. */
export async function trying(action) {
  try {
    return await action();
  } catch (e) {
    say(e.message, true);
    return undefined;
  }
}

function open(title) {
  const body = h('div', {class: 'stack'});
  const dialog = h('dialog', {'aria-labelledby': 'act-title', 'aria-describedby': 'act-text', onclose: () => {
    dialog.remove();
    if (document.activeElement === document.body) focusMain(); // what had it before has gone
  }},
    h('h2', {id: 'act-title'}, title), body);
  document.body.append(dialog);
  dialog.showModal();
  return {dialog, body};
}

const whyField = () => h('input', {name: 'why', maxLength: 1000, autocomplete: 'off', placeholder: 'for the audit'});

/**
 * Asks once, then does it. Fields and rare ones, which come last: nodes with a name.
 * @param confirm text of the button, with the number
 */
export function ask({title, text, confirm, danger, fields = [], rare = [], action, done}) {
  const {dialog, body} = open(title);
  const problem = h('p', {class: 'error', role: 'alert', hidden: true});
  const form = h('form', {method: 'dialog'},
    text && h('p', {id: 'act-text'}, text), fields, field('Why', whyField()), rare, problem,
    h('div', {class: 'row'},
      h('button', {class: danger ? 'danger' : 'main', data: {confirm: ''}}, confirm), button('Close', () => dialog.close())));
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(form));
    form.querySelector('[data-confirm]').disabled = true;
    try {
      const answer = await action(values, {dialog, body});
      if (answer !== 'stays') dialog.close();
      done?.();
    } catch (e) {
      problem.hidden = false;
      fill(problem, e.message);
      form.querySelector('[data-confirm]').disabled = false;
    }
  });
  fill(body, form);
  form.querySelector('input, select, textarea, button')?.focus();
}

/** What becomes of jobs. */
const MEANS = {
  redrive: 'Dead jobs go back into the queue and run again, with all of their attempts. Their errors stay in view.',
  cancel: 'Waiting and ready jobs end as cancelled, and do not come back.',
  discard: 'Dead jobs are removed for good, with their payloads and errors.',
};
export const VERBS = Object.entries(MEANS).map(([name, text]) => [name[0].toUpperCase() + name.slice(1), text]);

/** What can be done to single jobs. Each has the states for which it makes sense. */
export const ONE = {
  redrive: {verb: 'Redrive', level: 'OPERATOR', states: ['dead', 'quarantined'], text: MEANS.redrive},
  'run-now': {verb: 'Run now', level: 'OPERATOR', states: ['waiting'], text: 'Due at once: the next free thread takes it.'},
  reschedule: {verb: 'Reschedule', level: 'OPERATOR', states: ['waiting', 'ready'], fields: () => [
    field('At (your time)', timeInput({name: 'at', required: true}))]},
  priority: {verb: 'Change priority', level: 'OPERATOR', states: ['waiting', 'ready', 'dead', 'quarantined'], fields: () => [
    field('Priority (higher runs first)', h('input', {type: 'number', name: 'priority', value: '0', required: true}))]},
  cancel: {verb: 'Cancel', level: 'OPERATOR', states: ['waiting', 'ready', 'running'], danger: true,
    text: `${MEANS.cancel} A running one is asked to stop.`},
  discard: {verb: 'Discard', level: 'ADMIN', states: ['dead', 'quarantined'], danger: true, text: MEANS.discard},
};

/** One job, or those that were chosen. */
export function actOnChosen(name, ids, done) {
  const what = ONE[name];
  ask({
    title: `${what.verb}: ${ids.length === 1 ? 'job ' + ids[0] : jobs(ids.length)}`,
    text: what.text,
    confirm: `${what.verb}: ${jobs(ids.length)}`,
    danger: what.danger,
    fields: what.fields?.() ?? [],
    async action(values, place) {
      const body = {why: values.why};
      if (values.at) body.at = new Date(values.at).toISOString();
      if (values.priority) body.priority = Number(values.priority);
      if (ids.length === 1) {
        const [answer] = await post(`jobs/${name}`, {...body, ids});
        say(`Job ${answer.id}: ${word(answer.result, name)}.`, !GOOD.has(answer.result));
        return 'closes';
      }
      await inChunks(name, body, ids, place, done);
      return 'stays';
    },
    done,
  });
}

const GOOD = new Set(['CHANGED', 'CANCELLED', 'REQUESTED', 'UNCHANGED']);
const CHANGED = {redrive: 'redriven', 'run-now': 'due now', reschedule: 'rescheduled', priority: 'given another priority', discard: 'discarded'};
const WORDS = {
  CANCELLED: 'cancelled', REQUESTED: 'asked to stop', UNCHANGED: 'nothing to do', RUNNING: 'a node has it, so it stays as it is',
  ALREADY_ENDED: 'it has ended', NOT_FOUND: 'it is not there any more', NOT_DEAD: 'it is not dead',
};
const word = (result, name) => (result === 'CHANGED' ? CHANGED[name] : WORDS[result]) ?? result;

async function inChunks(name, body, ids, {dialog, body: place}, done) {
  let stopped = false;
  const bar = h('progress', {max: ids.length, value: 0, 'aria-label': 'done so far'});
  const text = h('p', {role: 'status'}, `0 of ${number(ids.length)}`);
  const stop = button('Stop', () => { stopped = true; });
  const close = button('Close', () => dialog.close(), {hidden: true});
  dialog.addEventListener('close', () => { stopped = true; });
  fill(place, bar, text, h('div', {class: 'row'}, stop, close));
  const results = {};
  let sent = 0;
  try {
    while (sent < ids.length && !stopped) {
      const chunk = ids.slice(sent, sent + CHUNK);
      for (const one of await post(`jobs/${name}`, {...body, ids: chunk})) results[one.result] = (results[one.result] ?? 0) + 1;
      sent += chunk.length;
      bar.value = sent;
      fill(text, `${number(sent)} of ${number(ids.length)}`);
    }
    fill(text, `${stopped && sent < ids.length ? 'Stopped' : 'Finished'} after ${jobs(sent)}: `,
      Object.entries(results).map(([result, count]) => `${number(count)} ${word(result, name)}`).join(', '));
  } catch (e) {
    fill(text, h('span', {class: 'error'}, `${number(sent)} done, then: ${e.message}`));
  }
  stop.hidden = true;
  close.hidden = false;
  done?.();
}

const BULK = {
  redrive: {kind: 'REDRIVE', verb: 'Redrive'},
  cancel: {kind: 'CANCEL', verb: 'Cancel', danger: true},
  discard: {kind: 'DISCARD', verb: 'Discard', danger: true},
};

/** All jobs that match: counts them first. */
export async function actOnAll(name, filter, done, which) {
  const {kind, verb, danger} = BULK[name];
  const wanted = Object.keys(filter).length ? filter : {all: 'true'};
  const counts = await trying(() => post('actions/count', {filter: wanted, kind}));
  if (!counts) return;
  const count = counts[kind];
  if (!count.jobs) {
    say(`There is no job here to ${verb.toLowerCase()}.`, true);
    return;
  }
  const amount = cappedJobs(count);
  ask({
    title: `${verb}: ${amount}`,
    text: `${which ?? describe(wanted)}. ${MEANS[name]}`,
    confirm: `${verb}: ${amount}`,
    danger,
    rare: [field('Jobs a second at most (empty: no limit)', h('input', {type: 'number', name: 'rate', min: '1', max: '1000000'}))],
    async action(values, place) {
      const action = await post(`actions/${name}`, {
        filter: wanted, confirmed: count.jobs, why: values.why, perSecond: values.rate ? Number(values.rate) : null,
      });
      watch(action, wanted, place, done);
      return 'stays';
    },
  });
}

const describe = filter => filter.all ? 'All jobs' : 'Jobs with ' + Object.entries(filter).map(([name, value]) => `${name} ${value}`).join(', ');

/** One by one, for as long as the dialog is open. */
export const runGroup = (filter, count, done) => ask({
  title: `Run now: ${jobs(count)}`,
  text: 'Those that wait for a retry run now. The others may run anyway.',
  confirm: `Run now: ${jobs(count)}`,
  async action({why}, place) {
    const ids = [];
    let before;
    do {
      const page = await get('jobs', {...filter, state: 'waiting', size: 200, before});
      ids.push(...page.jobs.map(job => job.id));
      before = page.next;
    } while (before && ids.length < 10000 && place.dialog.open);
    if (place.dialog.open) await inChunks('run-now', {why}, ids, place, done);
    return 'stays';
  },
});

const DONE = {
  REDRIVE: 'They are in the queue again. Whether they complete this time shows when they have run.',
  CANCEL: 'They are cancelled.',
  DISCARD: 'They are removed.',
};

/** Nodes do it whether somebody watches or not. */
async function watch(action, {state: _, all: __, ...filter}, {dialog, body}, done) {
  const bar = h('progress', {max: Math.max(1, action.counted), value: 0, 'aria-label': 'done so far'});
  const text = h('p', {role: 'status'});
  const stop = button('Stop', () => trying(() => post(`actions/${action.id}/stop`, {})));
  const hint = h('p', {class: 'soft small'}, 'It goes on when this is closed: see Actions.');
  const links = h('div', {class: 'row'}, stop, button('Close', () => dialog.close()));
  fill(body, bar, text, hint, links);
  let now = action;
  while (dialog.open) {
    bar.value = now.done;
    fill(text, `${now.state.toLowerCase()}: ${number(now.done)} of ${number(now.counted)}${now.countedAll ? '' : '+'}`,
      now.refused ? `, ${number(now.refused)} refused` : '');
    if (now.state !== 'RUNNING') break;
    await new Promise(resolve => setTimeout(resolve, 700));
    now = await get(`actions/${action.id}`).catch(() => now);
  }
  if (now.state !== 'RUNNING') bar.value = bar.max;
  stop.hidden = hint.hidden = true;
  if (now.state === 'FINISHED') fill(hint, DONE[now.kind]);
  hint.hidden = now.state !== 'FINISHED';
  const leave = {class: 'button', onclick: () => dialog.close()};
  if (now.state !== 'RUNNING') links.append(link('audit', {}, 'Audit', leave));
  if (now.state !== 'RUNNING' && now.kind === 'REDRIVE') links.append(link('jobs', filter, 'What becomes of them', leave));
  done?.();
}
