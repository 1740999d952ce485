// All that is paused, and what ends it.
import {h, fill, table, panel, button, field, ROW, link} from '../dom.js';
import {get, may, post} from '../api.js';
import {tell} from '../live.js';
import {NOT_DONE, number, when} from '../show.js';
import {ask, say, trying} from '../act.js';
import {searchForm} from '../list.js';

const KINDS = {
  QUEUE: {name: 'Queue', path: 'queues', level: 'OPERATOR'},
  TYPE: {name: 'Type', path: 'types', level: 'OPERATOR'},
  EVERYTHING: {name: 'Everything', path: 'everything', level: 'ADMIN'},
};

/** Above all pages. */
const BANNERS = 3;

/** More lines are found by name. */
const SHOWN = 200;

const title = pause => `${KINDS[pause.kind].name} ${pause.name}`.trim();
const mayEnd = pause => may(KINDS[pause.kind].level);

/** Pauses or resumes, and shows at once what is paused now, here and above all pages. */
export async function change(path, body) {
  const answer = await post(path, body);
  tell('pauses', await get('pauses'));
  return answer;
}

const end = (pause, why) => change(`${KINDS[pause.kind].path}/resume`, {name: pause.name, why});

/** @param reload loads the page below again: it may say that something waits for a pause */
export function drawBanners(place, pauses, reload) {
  fill(place, pauses.slice(0, BANNERS).map(pause => h('div', {},
    h('strong', {}, title(pause), ' paused'), h('span', {}, 'by ', pause.who, pause.why ? `: ${pause.why}` : ''), when(pause.since),
    mayEnd(pause) && button('Resume', () => trying(async () => {
      await end(pause);
      say(`${title(pause)} is resumed.`);
      reload();
    }), {'aria-label': `Resume ${title(pause)}`}))),
  pauses.length > BANNERS && h('div', {}, link('pauses', {}, `${number(pauses.length - BANNERS)} more ${pauses.length === BANNERS + 1 ? 'pause' : 'pauses'}`)));
}

export async function pauses(place, parameters) {
  let all = await get('pauses');
  const part = (parameters.find ?? '').trim().toLowerCase();
  const list = h('div', {});
  const tools = h('div', {class: 'row'});
  const draw = () => {
    fill(tools, pauseTools(all));
    const wanted = all.filter(pause => title(pause).toLowerCase().includes(part));
    fill(list, table([
      {title: 'What', class: 'wide', cell: pause => pause.kind === 'EVERYTHING' ? title(pause)
        : [`${KINDS[pause.kind].name} `, link('jobs', {[pause.kind.toLowerCase()]: pause.name, state: NOT_DONE}, pause.name, ROW)]},
      {title: 'Since', class: 'tight', cell: pause => when(pause.since)},
      {title: 'Who', class: 'name', cell: pause => pause.who},
      {title: 'Why', class: 'wide', cell: pause => pause.why ?? h('span', {class: 'soft'}, '–')},
      may('OPERATOR') && {title: '', label: 'Actions', class: 'tight', cell: pause => mayEnd(pause) && resumeButton(pause)},
    ].filter(Boolean), wanted.slice(0, SHOWN), part ? 'No pause has this in its name.' : 'Nothing is paused.',
    {caption: wanted.length > SHOWN ? `${SHOWN} of ${number(wanted.length)} pauses: find others by name` : null}));
  };
  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Pauses'), tools),
    panel(null, searchForm('pauses', 'Pauses', [['find', 'Name']], parameters, 'find')), panel(null, list));
  draw();
  return {live: {pauses: now => { all = now; draw(); }}};
}

const resumeButton = pause => button('Resume…', () => ask({
  title: `Resume ${title(pause)}`,
  text: pause.kind === 'EVERYTHING' ? EVERYTHING : 'Nodes claim its jobs again.',
  confirm: 'Resume',
  async action({why}) {
    const {changed} = await end(pause, why);
    say(changed ? `${title(pause)} is resumed.` : 'Somebody has resumed it before.');
  },
}), {'aria-label': `Resume ${title(pause)}`});

const EVERYTHING = 'Nodes claim jobs again. Queues and types that are paused by themselves stay so.';

/** What pauses more than a queue. */
export function pauseTools(all) {
  const everything = all.some(pause => pause.kind === 'EVERYTHING');
  const dialog = (path, name, confirm, text, fields, danger) => ask({
    title: name, text, confirm, fields, danger,
    async action({why, name: named}) {
      const {changed} = await change(path, {name: named, why});
      say(changed ? 'Done.' : 'It was so already.');
    },
  });
  return [
    may('OPERATOR') && button('Pause a type…', () => dialog('types/pause', 'Pause a type, in whatever queue', 'Pause', 'Nodes claim no job of this type. Those that run go on.',
      [field('Type', h('input', {name: 'name', required: true, autocomplete: 'off'}))])),
    may('ADMIN') && button(everything ? 'Resume everything…' : 'Pause everything…', () => everything
      ? dialog('everything/resume', 'Resume everything', 'Resume everything', EVERYTHING, [])
      : dialog('everything/pause', 'Pause everything', 'Pause everything', 'No node claims any job until somebody resumes everything. Those that run go on.', [], true)),
  ];
}
