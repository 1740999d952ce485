// What the server sends while the page is visible and nobody has pressed pause.

const listeners = new Map();
const last = new Map();
let source = null;
let paused = false;
let onState = () => {};

/** Calls back with each event of this name, and at once with the last one. Returns what ends it. */
export function listen(event, callback) {
  if (!listeners.has(event)) listeners.set(event, new Set());
  listeners.get(event).add(callback);
  if (last.has(event)) callback(last.get(event));
  return () => listeners.get(event).delete(callback);
}

export const known = event => last.get(event);

const EVENTS = ['queues', 'nodes', 'pauses', 'actions', 'rates', 'job', 'trouble'];
let job = null;

/** Which job to follow, or null. */
export function follow(id) {
  if (id === job) return;
  job = id;
  last.delete('job');
  close();
  open();
}

function open() {
  if (source || paused || document.hidden) return;
  source = new EventSource('api/live' + (job ? `?job=${job}` : ''));
  source.onopen = () => onState('on');
  source.onerror = () => onState('trouble');
  for (const event of EVENTS) {
    source.addEventListener(event, message => {
      const value = JSON.parse(message.data);
      onState(event === 'trouble' ? 'trouble' : 'on');
      last.set(event, value);
      listeners.get(event)?.forEach(callback => callback(value));
    });
  }
}

function close() {
  source?.close();
  source = null;
}

export function begin(stateChanged) {
  onState = stateChanged;
  document.addEventListener('visibilitychange', () => document.hidden ? close() : open());
  open();
}

export function togglePause() {
  paused = !paused;
  if (paused) {
    close();
    onState('paused');
  } else {
    open();
  }
  return paused;
}
