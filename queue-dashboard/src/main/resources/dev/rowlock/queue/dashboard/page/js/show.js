// How values look to people.
import {h, button} from './dom.js';

const numbers = new Intl.NumberFormat('en');
const exact = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'long'});
const sameDay = new Intl.DateTimeFormat(undefined, {hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false});
const otherDay = new Intl.DateTimeFormat(undefined, {month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hour12: false});

export const number = value => numbers.format(value);
export const jobs = count => `${number(count)} ${count === 1 ? 'job' : 'jobs'}`;
export const cappedJobs = count => `${capped(count)} ${count.jobs === 1 && !count.more ? 'job' : 'jobs'}`;
export const capped = ({jobs: count, more}) => number(count) + (more ? '+' : '');

/** The server's clock less the browser's, in ms: ages are by the server's. */
let ahead = 0;
export function setClock(serverNow) { ahead = new Date(serverNow) - Date.now(); }
export const now = () => Date.now() + ahead;

const valid = date => !Number.isNaN(date.getTime());

/** In the viewer's zone; the exact instant on hover and for screen readers. */
export function time(instant) {
  const at = new Date(instant ?? NaN);
  if (!valid(at)) return h('span', {class: 'soft'}, instant ?? '–');
  const today = at.toDateString() === new Date().toDateString();
  return h('time', {datetime: instant, title: `${exact.format(at)} · ${instant}`}, (today ? sameDay : otherDay).format(at));
}

/** The same, with how long ago it was or how soon it will be. */
export function when(instant) {
  if (!valid(new Date(instant ?? NaN))) return time(instant);
  return h('span', {}, time(instant), ', ', h('span', {class: 'soft small', data: {at: instant}}, ago(instant)));
}

function ago(instant) {
  const past = now() - new Date(instant);
  if (Math.abs(past) < 1000) return 'now';
  return past > 0 ? `${span(past)} ago` : `in ${span(-past)}`;
}

/** Ages go on while a page stands. */
export const age = () => document.querySelectorAll('[data-at]').forEach(node => { node.textContent = ago(node.dataset.at); });

/** A text of the database in which times stand in the viewer's zone, and long waits in hours. People's own words in it may only look like a time. */
export const timed = text => text.replace(/\bin (\d+) s\b/g, (_, seconds) => `in ${span(seconds * 1000)}`)
  .split(/(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?[+-]\d\d(?::\d\d)?)/)
  .map((part, i) => {
    const at = new Date(i % 2 ? part.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00') : NaN);
    return valid(at) ? time(at.toISOString()) : part;
  });

/** Findings of the doctor that somebody should look at. */
export const troubles = ({findings}) => findings.filter(one => !['OK', 'INFO'].includes(one.status));

/** A length of time from milliseconds: 12 ms, 3.4 s, 5 min, 2 h 10 min, 3 d. */
export function span(millis) {
  if (millis < 1000) return `${Math.max(0, Math.round(millis))} ms`;
  const seconds = millis / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h${hours < 10 && minutes % 60 ? ` ${minutes % 60} min` : ''}`;
  return `${Math.floor(hours / 24)} d`;
}

export const between = (from, until) => new Date(until) - new Date(from);

export const state = (label, text = label) => h('span', {class: `state ${label.toLowerCase()}`}, text.toLowerCase());

/** What the states of jobs mean. */
export const STATES = {
  waiting: 'due later, or waiting for a retry',
  ready: 'may run now: the next free thread takes it',
  running: 'claimed by a node, whether its handler has begun or not',
  completed: 'ended well',
  cancelled: 'ended before it was done, by a person, a workflow or the order of its key',
  dead: 'its last attempt failed. It stays until somebody redrives or discards it.',
  quarantined: 'dead, too: its nodes crashed too often while they ran it. It stays until somebody redrives or discards it.',
};

/** Those of jobs in the room dead. */
export const DEAD = ['dead', 'quarantined'];

/** A state for people: who looks for dead jobs sees that there are two kinds. */
export const stateName = label => label === 'quarantined' ? 'dead: quarantined' : label;

export const jobState = label => h('span', {class: `state ${label}`, title: STATES[label]}, stateName(label));

export const jobLink = id => h('a', {href: `#/jobs/${id}`, data: {row: ''}}, id);

/** What has been completed is found by reading whole days: who wants that says so. */
export const NOT_DONE = 'waiting,ready,running,dead,quarantined';

/** A class name without its package; the whole of it on hover. */
export function shortClass(name) {
  const short = name.slice(name.lastIndexOf('.') + 1);
  return h('span', {title: name === short ? null : name}, short);
}

/** Levels that are indented: of a nesting of thousands, the blanks alone would be megabytes. */
const INDENTED = 30;

/**
 * JSON with line breaks. The text is never parsed into numbers, so an id of 64 bits stays what it is.
 */
export function pretty(json) {
  let depth = 0;
  let text = '';
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+/gs) ?? [];
  const line = () => '\n' + '  '.repeat(Math.min(depth, INDENTED));
  tokens.forEach((token, i) => {
    if (token === '{' || token === '[') {
      depth++;
      text += token + (closes(tokens[i + 1]) ? '' : line());
    } else if (closes(token)) {
      depth--;
      text += (opens(tokens[i - 1]) ? '' : line()) + token;
    } else {
      text += token === ',' ? token + line() : token === ':' ? ': ' : token;
    }
  });
  return text;
}
const opens = token => token === '{' || token === '[';
const closes = token => token === '}' || token === ']';

/** What a browser lays out in a moment. */
const LINES = 1000;
const CHARACTERS = 50000;

/** All of it, or what fits into the page, and a button for the rest. */
export function json(text) {
  const all = pretty(text);
  let end = 0;
  for (let line = 0; line < LINES && end >= 0; line++) end = all.indexOf('\n', end + 1);
  const some = all.slice(0, Math.min(end < 0 ? all.length : end, CHARACTERS));
  const pre = h('pre', {tabindex: '0'}, some);
  if (some === all) return pre;
  const more = button(`Show all ${number(all.length)} characters`, () => {
    pre.replaceWith(h('pre', {tabindex: '0'}, all));
    rest.remove();
  });
  const rest = h('p', {class: 'soft small'}, `These are the first ${number(some.length)} characters. `, more);
  return h('div', {}, pre, rest);
}

/** For a field in which it is changed: with line breaks, unless it is too long for that. */
export const editable = text => text.length > CHARACTERS ? text : pretty(text);

/** An instant as the field for local times wants it. */
export function local(instant) {
  const at = new Date(instant ?? NaN);
  return !valid(at) ? '' : new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19);
}
