// Limits, rates and the order of keys.
import {h, fill, table, panel, button, field, link, words, ROW} from '../dom.js';
import {get, may, post} from '../api.js';
import {NOT_DONE, jobLink, jobState, jobs, number, when} from '../show.js';
import {actOnChosen, ask, say} from '../act.js';

export async function gates(place, parameters, reload) {
  const limits = await get('gates');
  const keys = h('div', {});
  fill(place,
    h('div', {class: 'head'}, h('h1', {}, 'Gates'), may('ADMIN') && button('Set a limit…', () => edit({queue: ''}, reload))), keys,
    panel(null, table([
      {title: 'Queue', class: 'wide', cell: limit => link('gates', {queue: limit.queue}, limit.queue, ROW)},
      {title: 'At once', class: 'number', cell: limit => show(limit.maxRunning)},
      {title: 'At once per key', class: 'number', cell: limit => show(limit.maxRunningPerKey)},
      {title: 'Burst per key', class: 'number', cell: limit => show(limit.burstPerKey)},
      {title: 'Rate', class: 'tight', cell: limit => show(limit.rate)},
      {title: 'Rate per key', class: 'tight', cell: limit => show(limit.ratePerKey)},
      {title: 'In order', cell: limit => show(limit.inOrder)},
      {title: '', label: 'Actions', class: 'tight', cell: limit => h('div', {class: 'row'}, tools(limit, reload))},
    ], limits, 'No queue has a limit, a rate or an order.')), WORDS());
  const queue = parameters.queue;
  if (queue) {
    const found = await get('gates/keys', {queue});
    fill(keys, panel(`Keys of ${queue}`,
      title('Blocked: they wait for a job that has begun and not ended'),
      table([
        keyOf(queue),
        {title: 'Waits for', class: 'tight', cell: key => [jobLink(key.job), ' ', jobState(key.state)]},
        {title: 'Since, until', class: 'tight', cell: key => when(key.at)},
        {title: 'Jobs behind it', class: 'number', cell: key => number(key.jobs) + (key.jobs >= 1000 ? '+' : '')},
        may('OPERATOR') && {title: '', label: 'Actions', class: 'tight', cell: key => goOn(queue, key, reload)},
      ].filter(Boolean), found.blocked, 'No key is blocked.'),
      atLimit(queue, found),
      title('Weights'),
      table([
        keyOf(queue), {title: 'Weight', class: 'number', cell: key => key.weight},
      ], found.weights, 'All keys have the same weight.', {caption: found.weights.length > 99 && 'The 100 highest'}),
      may('ADMIN') && button('Set a weight…', () => ask({
        title: `Weight of a key of ${queue}`, confirm: 'Set the weight of 1 key', done: reload,
        fields: [field('Key', h('input', {name: 'key', required: true, maxLength: 200})), field('Weight (1: as others)', h('input', {type: 'number', name: 'weight', value: '1', min: '1', max: '1000', required: true}))],
        action: ({key, weight, why}) => post('gates/weight', {queue, key, weight: Number(weight), why}),
      }))));
  }
}

const WORDS = () => words(
  ['At once', 'how many jobs of the queue may run at the same time, over all nodes'],
  ['At once per key', 'the same for the jobs of one key, such as a tenant or an account'],
  ['Burst per key', 'how many jobs of a key may run at the same time while no other key that is below its limit has jobs for the places'],
  ['Rate, rate per key', 'how many jobs of the queue, or of a key in it, may begin in a time; after "burst": how many may begin at once after a pause'],
  ['In order', 'the jobs of a key run one after the other. When one is dead, the others wait (hold), go on (continue) or are cancelled (cancel-rest)'],
  ['Weight', 'how much more than others a key gets when keys take turns'],
  ['Blocked key', 'its jobs run in order, and wait for one that has begun and not ended'],
  ['Skip', 'a dead job blocks its key no more: the others go on. It stays dead, and can be redriven or discarded later'],
  ['Slow down', 'no job of the queue, or of the key, begins for so many seconds']);

const title = text => h('h3', {class: 'small soft'}, text);

const keyOf = queue => ({title: 'Key', class: 'wide', cell: ({key}) => link('jobs', {queue, key, state: NOT_DONE}, key, ROW)});

/** What lets the others of a key go on: dead jobs are skipped, one that is tried again is cancelled. */
const goOn = (queue, {key, job, state}, reload) => state === 'waiting'
  ? button('Cancel…', () => actOnChosen('cancel', [job], reload), {'aria-label': `Cancel job ${job} of key ${key}`})
  : button('Skip…', () => ask({
    title: `Skip the dead jobs of ${key}`,
    text: 'The other jobs of the key go on without them. They stay dead, with payload and errors, and can be redriven or discarded later. One that is redriven runs after jobs that were enqueued later.',
    confirm: 'Skip the dead jobs of 1 key', done: reload,
    async action({why}) {
      const skipped = await post('gates/skip', {queue, key, why});
      say(`${key} goes on without ${jobs(skipped.jobs)}.`);
    },
  }), {'aria-label': `Skip job ${job} of key ${key}`});

const atLimit = (queue, found) => [
  title('At their limit'),
  table([
    keyOf(queue),
    {title: 'Running', class: 'number', cell: key => `${number(key.running)} of ${number(key.limit)}`},
    {title: 'Ready', class: 'number', cell: key => number(key.ready) + (key.ready >= 1000 ? '+' : '')},
  ], found.full, 'No key is at its limit.')];

const show = value => value === null ? h('span', {class: 'soft'}, '–') : String(value);

const tools = (limit, reload) => [
  link('gates', {queue: limit.queue}, 'Keys', {class: 'button', 'aria-label': `Keys of ${limit.queue}`}),
  may('OPERATOR') && (limit.rate || limit.ratePerKey) && button('Slow down…', () => ask({
    title: `Slow down ${limit.queue}`, confirm: 'Slow down 1 queue',
    fields: [field('Key (empty: the queue)', h('input', {name: 'key', maxLength: 200})), field('For so many seconds', h('input', {type: 'number', name: 'seconds', value: '60', min: '1', required: true}))],
    async action({key, seconds, why}) {
      await post('gates/slow-down', {queue: limit.queue, key: key || null, seconds: Number(seconds), why});
      say(`Nothing of it begins for ${seconds} s.`);
    },
  }), {'aria-label': `Slow down ${limit.queue}`}),
  may('ADMIN') && button('Change…', () => edit(limit, reload), {'aria-label': `Change the limits of ${limit.queue}`}),
  may('ADMIN') && button('Remove…', () => ask({
    title: `Remove the limits of ${limit.queue}`, confirm: 'Remove the limits of 1 queue', danger: true, done: reload,
    action: ({why}) => post('gates/remove', {queue: limit.queue, why}),
  }), {'aria-label': `Remove the limits of ${limit.queue}`}),
];

function edit(limit, reload) {
  const value = name => limit[name] === null || limit[name] === undefined ? '' : String(limit[name]);
  ask({
    title: limit.queue ? `Limits of ${limit.queue}` : 'Limits of a queue',
    text: 'They hold over all nodes, and win over configuration until they are removed. What is empty is no limit.',
    confirm: 'Set the limits of 1 queue', done: reload,
    fields: [
      field('Queue', h('input', {name: 'queue', value: value('queue'), required: true, readOnly: Boolean(limit.queue)})),
      field('Jobs at once', h('input', {type: 'number', min: '1', name: 'maxRunning', value: value('maxRunning')})),
      field('Jobs of a key at once', h('input', {type: 'number', min: '1', name: 'maxRunningPerKey', value: value('maxRunningPerKey')})),
      field('Jobs of a key at once while places are idle', h('input', {type: 'number', min: '2', name: 'burstPerKey', value: value('burstPerKey')})),
      field('Rate, such as 100/min burst 20', h('input', {name: 'rate', value: value('rate')})),
      field('Rate per key', h('input', {name: 'ratePerKey', value: value('ratePerKey')})),
      field('In order: when a job of a key is dead, the others', h('select', {name: 'inOrder'}, [['', 'no order'], ['hold', 'wait'], ['continue', 'go on'], ['cancel-rest', 'are cancelled']]
        .map(([name, text]) => h('option', {value: name, selected: name === value('inOrder')}, text)))),
    ],
    action: values => post('gates/set', {
      queue: values.queue, maxRunning: values.maxRunning ? Number(values.maxRunning) : null, maxRunningPerKey: values.maxRunningPerKey ? Number(values.maxRunningPerKey) : null,
      burstPerKey: values.burstPerKey ? Number(values.burstPerKey) : null,
      rate: values.rate || null, ratePerKey: values.ratePerKey || null, inOrder: values.inOrder || null, why: values.why,
    }),
  });
}
