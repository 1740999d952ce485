// All of one job.
import {h, fill, panel, button, code, field, link} from '../dom.js';
import {get, may, me, post} from '../api.js';
import {DEAD, NOT_DONE, between, editable, jobState, json, now, shortClass, span, state, stateName, time, timed, when} from '../show.js';
import {graph} from '../graph.js';
import {ONE, actOnChosen, ask, say} from '../act.js';

export async function jobPage(place, id, reload) {
  let job = await get(`jobs/${id}`);
  const progress = h('div', {});
  const flow = h('div', {});
  const past = h('div', {});
  const log = h('div', {});
  const drawProgress = () => fill(progress, job.state === 'running' && job.progress !== null && [
    h('progress', {max: 100, value: job.progress, 'aria-label': 'Progress'}), h('p', {class: 'small'}, `${job.progress} %`, job.progressNote ? `: ${job.progressNote}` : '')]);
  fill(place,
    h('div', {class: 'head'}, h('h1', {}, `Job ${job.id} `, jobState(job.state), job.cancelRequested && job.state === 'running' ? [' ', state('warn', 'asked to stop')] : ''),
      h('div', {class: 'row'}, buttons(job, reload))),
    job.title && h('p', {class: 'title'}, job.title),
    why(job), lastError(job),
    h('div', {class: 'columns'}, h('div', {}, panel('What it is', facts(job), progress), headersOf(job)), carried(job, reload)),
    flow, log, past);
  followLog(log, () => job);
  const drawPast = lines => fill(past, panel('Timeline', timeline(job, lines)));
  drawPast([]);
  get(`jobs/${id}/audit`).then(drawPast, e => past.append(h('p', {class: 'error'}, `What people did to it cannot be shown: ${e.message}`)));
  if (job.workflow) {
    get(`workflows/${job.workflow}`).then(all => fill(flow, panel(null, h('h2', {}, 'Its workflow: ', h('a', {href: `#/workflows/${job.workflow}`}, all.workflow.name)), graph(all.steps))), () => {});
  }
  drawProgress();
  return {
    live: {
      job(seen) {
        if (seen.id !== id) return;
        if (seen.state !== job.state || seen.attempt !== job.attempt) {
          if (!document.querySelector('dialog[open]')) reload();
          return;
        }
        job = {...job, progress: seen.progress, progressNote: seen.progressNote};
        drawProgress();
      },
    },
  };
}

/** While it runs, handlers write more lines. Ends with the page. */
async function followLog(place, current) {
  const look = async () => {
    try {
      const lines = await get(`jobs/${current().id}/log`);
      fill(place, lines.length > 0 && panel('Log', h('ol', {class: 'log small'}, lines.map(line => h('li', {}, time(line.at), h('span', {class: 'soft'}, ` attempt ${line.attempt} `), line.text)))));
    } catch (e) {
      fill(place, h('p', {class: 'error'}, `Its log cannot be shown: ${e.message}`));
    }
  };
  await look();
  const timer = setInterval(() => {
    if (!place.isConnected) clearInterval(timer);
    else if (current().state === 'running' && !document.hidden) look();
  }, 2000);
}

const buttons = (job, reload) => Object.entries(ONE).filter(([, one]) => may(one.level) && one.states.includes(job.state))
  .map(([name, one]) => button(`${one.verb}…`, () => actOnChosen(name, [job.id], () => setTimeout(reload, 150)), {data: {chosen: name}}));

const why = job => job.reasons.length ? panel(job.state === 'waiting' || job.state === 'ready' ? 'Why it waits' : 'Why it is here', h('ul', {}, job.reasons.map(reason => h('li', {data: {kind: reason.kind}}, timed(reason.text))))) : null;

function facts(job) {
  const rows = [
    ['Queue', link('jobs', {queue: job.queue}, job.queue)],
    ['Type', link('jobs', {type: job.type}, job.type)],
    ['Key', job.key && link('jobs', {queue: job.queue, key: job.key, state: NOT_DONE}, job.key)],
    ['Unique key', job.uniqueKey && link('jobs', {type: job.type, uniqueKey: job.uniqueKey}, job.uniqueKey)],
    ['Priority', job.priority],
    ['Attempt', job.maxRetries === null ? job.attempt : `${job.attempt} of ${job.maxRetries + 1}`],
    ['Workflow', job.workflow && h('a', {href: `#/workflows/${job.workflow}`}, job.workflow)],
    ['Crashes', job.crashes || null],
    ['Timeout', job.timeoutMillis === null ? null : span(job.timeoutMillis)],
    ['Interrupted at', job.deadline && when(job.deadline)],
    ['Waits because of', job.waitReason],
    ['Node', job.node && link('nodes', {node: job.node}, nodeName(job, job.node))],
    ['Trace', job.traceId && (job.traceLink
      ? h('a', {href: job.traceLink, rel: 'noopener noreferrer', target: '_blank'}, job.traceId) : h('code', {}, job.traceId))],
  ];
  return h('dl', {class: 'facts'}, rows.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

const nodeName = (job, id) => job.nodeNames[id] ?? `node ${id}, which has left`;

/** Why a dead job died, or what a live one will be retried after. */
function lastError(job) {
  const error = job.errors.at(-1);
  return error && job.state !== 'completed' ? panel(DEAD.includes(job.state) ? 'Why it died' : 'Its last error',
    h('p', {class: 'error'}, h('strong', {}, error.type), ': ', error.message), h('p', {class: 'soft small'}, `attempt ${error.attempt}, `, when(error.at)),
    error.trace ? code(error.trace, 'the stack trace') : h('p', {class: 'soft'}, 'It has no stack trace.')) : null;
}

/** The newest events are shown at once, the others when they are asked for. */
const SHOWN = 12;

/** What happened, oldest first, with the time between. Lines of the audit stand where somebody acted. */
function timeline(job, lines) {
  const events = [{at: job.enqueuedAt, kind: 'waiting', text: 'enqueued'}];
  for (const error of job.errors) {
    if (error.startedAt) events.push({at: error.startedAt, kind: 'running', text: `attempt ${error.attempt} begun`, node: error.node});
    events.push({at: error.at, kind: 'failed', text: `attempt ${error.attempt} failed`, node: error.node, error});
  }
  if (job.state === 'ready') events.push({at: job.dueAt, kind: 'ready', text: 'ready'});
  if (job.state !== 'waiting' && job.state !== 'ready' && job.claimedAt && !job.errors.some(error => error.startedAt === job.claimedAt)
      && (job.state === 'running' || !job.errors.length || job.state === 'completed' || job.state === 'cancelled')) {
    events.push({at: job.claimedAt, kind: 'running', text: `attempt ${job.attempt} ${job.state === 'running' ? 'runs' : 'begun'}`, node: job.node});
  }
  if (job.endedAt) events.push({at: job.endedAt, kind: job.state, text: stateName(job.state)});
  for (const line of lines) events.push({at: line.at, kind: 'acted', text: line.action, line});
  events.sort((one, other) => new Date(one.at) - new Date(other.at));
  if (job.state === 'waiting') events.push({at: job.dueAt, kind: 'waiting', text: `due${job.waitReason ? ` (${job.waitReason})` : ''}`});
  const item = (event, i) => h('li', {class: event.kind}, h('div', {class: 'body'},
    h('strong', {}, event.text), ' ', i === events.length - 1 && !job.endedAt ? when(event.at) : time(event.at),
    event.node && h('span', {class: 'soft small'}, ` on ${nodeName(job, event.node)}`),
    event.line && [' by ', event.line.who, event.line.why ? `: ${event.line.why}` : '', event.line.detail && h('span', {class: 'soft small'}, ` ${event.line.detail}`),
      event.line.bulkAction && [', with others: ', link('actions', {action: event.line.bulkAction}, `bulk action ${event.line.bulkAction}`)]],
    i > 0 && h('div', {class: 'gap'}, `after ${span(between(events[i - 1].at, event.at))}`),
    event.error && h('details', {class: 'small'},
      h('summary', {class: 'error'}, shortClass(event.error.type), ': ', event.error.message),
      event.error.trace ? code(event.error.trace, `the stack trace of attempt ${event.error.attempt}`) : h('p', {class: 'soft'}, 'It has no stack trace.')),
    i === events.length - 1 && job.state === 'running' && h('div', {class: 'gap'}, `for ${span(now() - new Date(event.at))}`)));
  const items = events.map(item);
  const older = items.length > SHOWN ? items.splice(0, items.length - SHOWN) : [];
  return [older.length > 0 && h('details', {class: 'small'}, h('summary', {}, `${older.length} older events`), h('ol', {class: 'timeline'}, older)), h('ol', {class: 'timeline'}, items)];
}

function carried(job, reload) {
  if (job.hidden) return panel('Payload', h('p', {class: 'empty'}, `Users with the level ${me.level.toLowerCase().replace('_', '-')} do not see payloads, headers and results.`));
  const mayEdit = may('ADMIN') && ['waiting', 'ready', 'dead', 'quarantined'].includes(job.state);
  return h('div', {},
    panel(null, h('div', {class: 'head'}, h('h2', {}, 'Payload'), mayEdit && button('Edit…', () => edit(job, reload))), json(job.payload)),
    job.result !== null && panel('Result', json(job.result)));
}

function headersOf(job) {
  const headers = Object.entries(job.headers ?? {});
  return headers.length > 0 && panel('Headers', h('dl', {class: 'facts'}, headers.map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
}

function edit(job, reload) {
  ask({
    title: `Payload of job ${job.id}`,
    confirm: 'Change 1 job',
    fields: [field('JSON', h('textarea', {name: 'payload', required: true, spellcheck: false, value: job.redacted ? '' : editable(job.payload)})),
      job.redacted && h('p', {class: 'small soft'}, 'The application shows only a part of the payload. What stands here replaces all of it.'),
      h('label', {class: 'check small'}, h('input', {type: 'checkbox', name: 'unchecked', value: 'true'}), 'do not check that the listener can read it')],
    async action({payload, unchecked, why}) {
      const [answer] = await post('jobs/payload', {ids: [job.id], payload, unchecked: unchecked === 'true', why});
      if (answer.result !== 'CHANGED') throw new Error(`It was not changed: ${answer.result.toLowerCase().replaceAll('_', ' ')}.`);
      say(`Job ${job.id} has another payload.`);
    },
    done: reload,
  });
}
