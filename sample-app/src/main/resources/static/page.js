// Shows one import and looks again every second. Data reach the page as text only, never as markup.

const COUNTS = [
  ['resized', 'resized'], ['rejected', 'rejected'], ['dead', 'dead'], ['retrying', 'waiting to retry'],
  ['running', 'claimed'], ['queued', 'queued'],
];
const byId = id => document.getElementById(id);
const number = new Intl.NumberFormat('en');
const time = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

let chosen = null;      // the import that is shown; null for the newest
let shown = '';         // what the details were drawn from

function element(name, text, properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  if (text !== null) made.append(text);
  return made;
}

function fill(list, items, make, empty) {
  list.replaceChildren(...(items.length ? items.map(make) : [element('li', empty, { className: 'empty' })]));
}

async function get(path) {
  const response = await fetch(path, { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function send(request) {
  byId('problem').hidden = true;
  byId('sample').disabled = true;
  try {
    const response = await request();
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail || answer.title || response.statusText);
    chosen = answer.id;
    shown = '';
    await look();
  } catch (e) {
    byId('problem').textContent = `Not imported: ${e.message}`;
    byId('problem').hidden = false;
  } finally {
    byId('sample').disabled = false;
  }
}

byId('sample').addEventListener('click', () => send(async () => {
  const catalog = await (await fetch('catalog.csv')).blob();
  return fetch('imports?fileName=sample-catalog.csv', {
    method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: catalog,
  });
}));

byId('upload').addEventListener('submit', event => {
  event.preventDefault();
  send(() => fetch('imports', { method: 'POST', body: new FormData(event.target) }));
});

byId('check').addEventListener('click', async () => {
  byId('check').disabled = true;
  try {
    await fetch('price-checks', { method: 'POST' });
    await look();
  } finally {
    byId('check').disabled = false;
  }
});

byId('which').addEventListener('change', event => {
  chosen = Number(event.target.value);
  shown = '';
  look();
});

function drawChoice(imports, id) {
  const options = imports.map(one => {
    const label = `#${one.id}, ${time.format(new Date(one.submittedAt))}`;
    return element('option', label, { value: one.id, selected: one.id === id });
  });
  const key = imports.map(one => one.id).join() + ':' + id;
  if (byId('which').dataset.key !== key) {
    byId('which').dataset.key = key;
    byId('which').replaceChildren(...options);
  }
}

function sentence(p) {
  if (p.status === 'failed') return 'The file could not be read; the job that should have done it is dead.';
  if (p.status === 'accepted') return 'Accepted. A job is about to read the file.';
  const rows = `${number.format(p.rows)} rows`;
  if (p.status === 'running') return `${p.percent} % of ${rows} have ended.`;
  const seconds = Math.max(1, Math.round((new Date(p.finishedAt) - new Date(p.submittedAt)) / 1000));
  return `All ${rows} have ended, after ${number.format(seconds)} s. ${number.format(p.recovered)} products needed`
    + ' more than one attempt.';
}

function drawProgress(p) {
  byId('title').textContent = `Import #${p.id}: ${p.fileName}`;
  byId('status').textContent = sentence(p);
  byId('bar').setAttribute('aria-valuenow', p.percent);
  for (const part of byId('bar').children) {
    part.style.width = p.rows ? `${p[part.className] * 100 / p.rows}%` : 0;
  }
  const counts = p.withdrawn ? [...COUNTS, ['withdrawn', 'cancelled']] : COUNTS;
  byId('counts').replaceChildren(...counts.map(([key, label]) => {
    const tile = element('div', null, { className: key });
    tile.append(element('dt', label), element('dd', number.format(p[key])));
    return tile;
  }));
  byId('json').href = `imports/${p.id}`;
}

function drawNodes(nodes) {
  const total = nodes.reduce((sum, node) => sum + node.products, 0);
  fill(byId('nodes'), nodes, node => {
    const item = element('li', `${node.node}: ${number.format(node.products)} products`);
    item.append(element('meter', null, { min: 0, max: total, value: node.products, ariaLabel: `share of ${node.node}` }));
    return item;
  }, 'Nobody yet.');
}

// An entry that is still among the latest stays the same element: a new one would flicker while its picture loads.
function drawPictures(products) {
  const before = new Map([...byId('pictures').children].map(item => [item.dataset.key, item]));
  fill(byId('pictures'), products, product => {
    const key = JSON.stringify(product);
    return before.get(key) ?? picture(product, key);
  }, 'None yet.');
}

function picture(product, key) {
  const item = element('li', null);
  item.dataset.key = key;
  item.append(
    element('img', null, {
      src: `products/${encodeURIComponent(product.sku)}/pictures/160`, alt: product.name, width: 160, height: 120,
    }),
    element('b', product.name),
    element('small', product.sku),
    element('small', `€ ${product.price.toFixed(2)}`),
    element('small', product.attempt > 1 ? `attempt ${product.attempt}` : ''));
  return item;
}

function drawDead(dead) {
  const open = new Set([...byId('dead').querySelectorAll('details[open]')].map(one => one.dataset.job));
  fill(byId('dead'), dead, one => {
    const job = String(one.jobId);
    const details = element('details', null, { open: open.has(job) });
    details.dataset.job = job;
    const summary = element('summary', `Line ${one.line}, ${one.sku} ${one.name}: `);
    summary.append(element('b', one.failures.length ? one.failures[one.failures.length - 1].message : 'no error'));
    const history = element('ol', null);
    history.append(...one.failures.map(error => element('li',
      `attempt ${error.attempt}, ${time.format(new Date(error.at))}: ${error.message} (${error.type})`)));
    details.append(summary, element('small', `job ${job}, ${one.picture}`), history);
    const item = element('li', null);
    item.append(details);
    return item;
  }, 'None.');
}

function drawRejections(rejections) {
  byId('rejections').replaceChildren(...rejections.map(row => {
    const line = element('tr', null);
    line.append(element('td', row.line), element('td', row.sku || '–'), element('td', row.reason));
    return line;
  }));
}

function drawNotifications(notifications) {
  fill(byId('notifications'), notifications, one => {
    const item = element('li', `#${one.importId} ${one.message}`);
    item.append(element('time', time.format(new Date(one.sentAt)), { dateTime: one.sentAt }));
    return item;
  }, 'None yet.');
}

function drawPrices({ next, latest }) {
  byId('next').textContent = next.length ? `Next: ${time.format(new Date(next[0]))}.` : 'It is switched off.';
  fill(byId('prices'), latest.slice(0, 5), one => {
    const item = element('li', `${number.format(one.products)} prices checked, ${number.format(one.corrected)} corrected`);
    item.append(element('time', time.format(new Date(one.checkedAt)), { dateTime: one.checkedAt }));
    return item;
  }, 'None yet.');
}

/** Returns whether the import goes on. */
async function look() {
  const imports = await get('imports');
  if (!imports.length) return false;
  const id = chosen ?? imports[0].id;
  const { progress, nodes } = await get(`imports/${id}`);
  drawChoice(imports, id);
  drawProgress(progress);
  byId('import').hidden = byId('details').hidden = false;
  drawPrices(await get('price-checks'));
  const notifications = await get('notifications');
  const now = JSON.stringify([progress, notifications.length]);
  if (now !== shown) {
    const [rejections, dead, products] = await Promise.all(
      ['rejections', 'dead', 'products?limit=12'].map(what => get(`imports/${id}/${what}`)));
    drawNodes(nodes);
    drawPictures(products);
    drawDead(dead);
    drawRejections(rejections);
    drawNotifications(notifications);
    shown = now;
  }
  return progress.status === 'running' || progress.status === 'accepted';
}

async function follow() {
  let busy = false;
  try {
    busy = await look();
    byId('connection').hidden = true;
  } catch (e) {
    byId('connection').hidden = false;
  }
  setTimeout(follow, busy ? 700 : 2000);
}

follow();
