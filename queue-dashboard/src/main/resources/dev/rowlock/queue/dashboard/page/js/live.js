// What the server sends while the page is visible and nobody has pressed pause.

/** After an answer that is no stream. */
const RETRY = 4000;

const listeners = new Map();
const last = new Map();
let source = null;
let paused = false;
let onState = () => {};

/** Calls back with each event of this name, the last one at once. Returns what ends it. */
export function listen(event, callback) {
  if (!listeners.has(event)) listeners.set(event, new Set());
  listeners.get(event).add(callback);
  if (last.has(event)) callback(last.get(event));
  return () => listeners.get(event).delete(callback);
}

export const known = event => last.get(event);

/** What the page knows before the server sends it, because its user has just changed it. */
export function tell(event, value) {
  last.set(event, value);
  listeners.get(event)?.forEach(callback => callback(value));
}

const EVENTS = ['queues', 'nodes', 'pauses', 'actions', 'job', 'workflow', 'trouble'];
let followed = '';

/** What to follow besides what concerns all, such as 'job=42', or nothing. */
export function follow(what) {
  if (what === followed) return;
  followed = what;
  last.delete('job');
  last.delete('workflow');
  close();
  open();
}

function open() {
  if (source || paused || document.hidden) return;
  source = new EventSource('api/live' + (followed ? `?${followed}` : ''));
  source.onopen = () => onState('on');
  source.onerror = () => {
    onState('trouble');
    if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    close();
    setTimeout(open, RETRY);
  };
  for (const event of EVENTS) {
    source.addEventListener(event, message => {
      const value = JSON.parse(message.data);
      onState(event === 'trouble' ? 'trouble' : 'on');
      tell(event, value);
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
