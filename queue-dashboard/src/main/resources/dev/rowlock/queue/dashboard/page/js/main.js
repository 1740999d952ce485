// The frame of all pages: who looks, where to go, what is paused. The address says which page is shown, and with which filters.
import {h, fill, focusMain, button} from './dom.js';
import {me, whoAmI} from './api.js';
import {age, setClock} from './show.js';
import {begin as beginKeys, help} from './keys.js';
import {find} from './find.js';
import * as live from './live.js';
import {overview} from './pages/overview.js';
import {jobList} from './pages/jobs.js';
import {jobPage} from './pages/job.js';
import {errors} from './pages/errors.js';
import {schedules} from './pages/schedules.js';
import {workflowPage, workflows} from './pages/workflows.js';
import {gates} from './pages/gates.js';
import {drawBanners, pauses} from './pages/pauses.js';
import {nodes} from './pages/nodes.js';
import {doctor} from './pages/doctor.js';
import {audit} from './pages/audit.js';
import {actions} from './pages/actions.js';

/** A page takes its place and the parameters of the address. It may return {live: {event: callback}, stop()}. */
const PAGES = [
  {path: '', title: 'Overview', page: overview},
  {path: 'jobs', title: 'Jobs', page: jobList},
  {path: 'errors', title: 'Errors', page: errors},
  {path: 'schedules', title: 'Schedules', page: schedules},
  {path: 'workflows', title: 'Workflows', page: workflows},
  {path: 'gates', title: 'Gates', page: gates},
  {path: 'pauses', title: 'Pauses', page: pauses},
  {path: 'actions', title: 'Actions', page: actions},
  {path: 'nodes', title: 'Nodes', page: nodes},
  {path: 'doctor', title: 'Doctor', page: doctor},
  {path: 'audit', title: 'Audit', page: audit},
];

const main = document.getElementById('main');
let ends = [];
let shown = 0;

function address() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  return {path, parameters: Object.fromEntries(new URLSearchParams(search ?? ''))};
}

async function show(keepFocus) {
  const mine = ++shown;
  ends.forEach(end => end());
  ends = [];
  const {path, parameters} = address();
  const job = /^jobs\/([1-9]\d*)$/.exec(path);
  const workflow = /^workflows\/([1-9]\d*)$/.exec(path);
  const page = job ? {path: 'jobs', title: `Job ${job[1]}`, page: (place, _, again) => jobPage(place, job[1], again)}
    : workflow ? {path: 'workflows', title: `Workflow ${workflow[1]}`, page: (place, _, again) => workflowPage(place, workflow[1], again)}
      : PAGES.find(one => one.path === path);
  live.follow(job ? `job=${job[1]}` : workflow ? `workflow=${workflow[1]}` : '');
  document.querySelectorAll('#top nav a').forEach(link =>
    link.dataset.path === (page?.path ?? '?') ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current'));
  const here = document.querySelector('#top nav [aria-current]');
  if (here) here.parentNode.scrollLeft = here.offsetLeft - here.parentNode.clientWidth / 2; // in narrow windows
  main.ariaLabel = page?.title ?? 'Not found';
  document.title = `${main.ariaLabel} · ${me.brand.title}`;
  main.setAttribute('aria-busy', 'true');
  const place = h('div', {});
  try {
    if (!page) throw new Error('There is no such page.');
    const made = await page.page(place, parameters, () => show(true));
    if (mine !== shown) {
      made?.stop?.();
      return;
    }
    for (const [event, callback] of Object.entries(made?.live ?? {})) ends.push(live.listen(event, callback));
    if (made?.stop) ends.push(made.stop);
  } catch (e) {
    if (mine !== shown) return;
    fill(place, h('h1', {}, main.ariaLabel), h('p', {class: 'error', role: 'alert'}, e.message), button('Try again', () => show()));
  }
  fill(main, place);
  main.dataset.page = path;
  main.removeAttribute('aria-busy');
  if (!keepFocus || document.activeElement === document.body) focusMain();
}

function frame() {
  const state = button('Live', () => { live.togglePause(); }, {class: 'live', 'aria-pressed': 'false', data: {state: 'wait'}, title: 'Pause live figures'});
  live.begin(now => {
    state.dataset.state = now;
    state.setAttribute('aria-pressed', String(now === 'paused'));
    fill(state, now === 'paused' ? 'Paused' : now === 'trouble' ? 'Reconnecting' : 'Live');
  });
  fill(document.getElementById('top'), h('div', {},
    h('a', {class: 'brand', href: '#/'}, h('img', {src: me.brand.logo ?? 'icon.svg', alt: ''}), me.brand.title),
    h('nav', {'aria-label': 'Pages'}, PAGES.map(page => h('a', {href: `#/${page.path}`, data: {path: page.path}}, page.title))),
    h('div', {class: 'tools'}, button('Find', find, {title: 'Find a job, key, type, queue or workflow (f)'}), state, button('Theme', theme, {title: 'Dark or light'}), button('?', help, {'aria-label': 'Keyboard help'}),
      h('span', {class: 'who', title: me.level}, `${me.name} · ${me.level.toLowerCase().replace('_', '-')}`))));
  if (me.brand.accent) document.documentElement.style.setProperty('--accent', me.brand.accent);
}

function theme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  store('rowlock-theme', root.dataset.theme);
}

function store(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // A browser that keeps nothing shows the theme of the system next time.
  }
}

function stored(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

async function begin() {
  const chosen = stored('rowlock-theme');
  if (chosen === 'dark' || chosen === 'light') document.documentElement.dataset.theme = chosen;
  try {
    setClock((await whoAmI()).now);
  } catch (e) {
    fill(main, h('h1', {}, 'The dashboard does not open'), h('p', {class: 'error'}, e.message));
    return;
  }
  frame();
  live.listen('pauses', all => drawBanners(document.getElementById('pauses'), all, () => show(true)));
  beginKeys({reload: () => show(true), pages: PAGES.map(page => `#/${page.path}`)});
  addEventListener('hashchange', () => show());
  setInterval(age, 5000);
  await show();
}

begin();
