// The server. Addresses are relative to the page, so a context path or a proxy's prefix changes nothing.

export const me = {level: 'NONE', payloads: false};
const LEVELS = ['NONE', 'READ_ONLY', 'OPERATOR', 'ADMIN'];

/** For what to show only: the server decides again for each request. */
export const may = level => LEVELS.indexOf(me.level) >= LEVELS.indexOf(level);

export async function whoAmI() {
  return Object.assign(me, await get('me'));
}

function query(parameters) {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters ?? {})) {
    if (value !== undefined && value !== null && value !== '') search.append(name, value);
  }
  return search.toString();
}

export const address = (path, parameters) => {
  const search = query(parameters);
  return search ? `${path}?${search}` : path;
};

export async function get(path, parameters) {
  return answer(await fetch(`api/${address(path, parameters)}`, {headers: {Accept: 'application/json'}}));
}

export async function post(path, body) {
  let response = await send(path, body);
  if (response.status === 403 && me.csrf) {
    await whoAmI(); // the session has ended and begun anew: it has another token
    response = await send(path, body);
  }
  return answer(response);
}

function send(path, body) {
  const headers = {'Content-Type': 'application/json', Accept: 'application/json', 'X-Rowlock-Dashboard': '1'};
  if (me.csrf) headers[me.csrf.header] = me.csrf.token;
  return fetch(`api/${path}`, {method: 'POST', headers, body: JSON.stringify(body ?? {})});
}

async function answer(response) {
  const type = response.headers.get('Content-Type') ?? '';
  if (response.redirected || !type.startsWith('application/json')) {
    throw new Error(response.ok || response.status === 401 || response.status === 403
      ? 'You are not logged in any more, or may not see this. Load the page again.'
      : `The server answers ${response.status}.`);
  }
  const value = await response.json();
  if (!response.ok) throw new Error(value.error ?? value.detail ?? `The server answers ${response.status}.`);
  return value;
}
