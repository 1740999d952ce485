// What is done to many jobs, and how far it is.
import {h, fill, table, panel, button, link, ROW} from '../dom.js';
import {get, post} from '../api.js';
import {number, state, time} from '../show.js';
import {trying} from '../act.js';
import {actionColumn, pages, subject} from '../list.js';

export async function actions(place, parameters, reload) {
  const {action: wanted, ...page} = parameters;
  // The one that somebody came for is the first of its page.
  let all = await get('actions', wanted && !page.before ? {...page, before: String(BigInt(wanted) + 1n)} : page);
  const list = h('div', {});
  const stop = action => trying(async () => {
    await post(`actions/${action.id}/stop`, {});
    reload();
  });
  const draw = () => fill(list, table([
    {title: 'Action', class: 'tight', cell: action => [state(action.kind === 'REDRIVE' ? 'busy' : 'warn', action.kind), ' ',
      link('actions', {action: action.id}, action.id, {...ROW, 'aria-current': action.id === wanted ? 'true' : null})]},
    {title: 'State', class: 'tight', cell: action => state(action.state)},
    {title: 'Progress', class: 'wide', cell: action => [
      h('progress', {max: Math.max(1, action.counted), value: action.state === 'FINISHED' ? Math.max(1, action.counted) : action.done, 'aria-label': `progress of action ${action.id}`}),
      h('div', {class: 'small'}, `${number(action.done)} of ${number(action.counted)}${action.countedAll ? '' : '+'}`, action.refused ? h('span', {class: 'error'}, `, ${number(action.refused)} refused ${action.refusal ?? ''}`) : '')]},
    {title: 'Which jobs', class: 'wide', cell: action => subject(action.filter, action.error)},
    {title: 'Who and why', class: 'wide', cell: action => [action.who, action.why ? `: ${action.why}` : '']},
    {title: 'Asked for', class: 'tight', cell: action => time(action.createdAt)},
    {title: 'Ended', class: 'tight', cell: action => time(action.endedAt)},
    ...actionColumn(action => action.state === 'RUNNING' && button('Stop', () => stop(action), {'aria-label': `Stop action ${action.id}`})),
  ], all, 'Nothing has been done to many jobs.'));
  fill(place, h('h1', {}, 'Actions'), panel(null, list,
    wanted && link('actions', {}, 'Newest actions', {class: 'button'}), pages('actions', page, all.length === 50 && all.at(-1).id, 'Older actions')));
  draw();
  return {live: {actions(now) {
    if (!now.some(one => all.find(other => other.id === one.id && (other.done !== one.done || other.state !== one.state)))) return;
    const seen = new Map(now.map(action => [action.id, action]));
    all = all.map(action => ({...action, ...seen.get(action.id)}));
    draw();
  }}};
}
