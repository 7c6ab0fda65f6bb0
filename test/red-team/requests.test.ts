import { type Attack, testAttacks } from './attacks.ts';
import { unguardedApi } from './unguarded-api.ts';
import { sendBytes, sendRequest, type World } from './world.ts';

const unguarded = unguardedApi();
const scheduling = '/v1/orgs/acme/scheduling';

/** A page of another site makes ada's browser change a setting of acme. */
const forgedRequest = (name: string, headers: (world: World) => Record<string, string>): Attack => {
  const send = async (world: World, own: Record<string, string>): Promise<boolean> =>
    (await world.call('PUT', scheduling, { body: { enabled: false }, ...world.asBrowser('ada', own) })).ok;
  return {
    name: `a page ${name}`,
    attempt: async (world) => await send(world, headers(world)),
    counter: async (world) => await send(world, { origin: world.url }),
  };
};

const listsShop = (status: number, body: string): boolean => status === 200 && body.includes('"shop"');

/** A path that means acme's Products to a lenient router. The counter-attack is what it would route to, where no role counts. */
const pathTrick = (path: string): Attack => ({
  name: `mallory asks for ${path}`,
  attempt: async ({ port, credentials }) => {
    const headers = { host: `localhost:${port}`, authorization: `Bearer ${credentials.mallory.token}` };
    const { status, body } = await sendRequest({ port, path, headers });
    return listsShop(status, body);
  },
  counter: async (world) => {
    const { pathname } = new URL(decodeURIComponent(path).replace('\0', ''), world.url);
    return await listsProducts(world, pathname.replace('//', '/').toLowerCase().replace('/api', ''));
  },
});

async function listsProducts(world: World, path: string): Promise<boolean> {
  const response = await (await unguarded(world))('GET', path);
  return listsShop(response.status, await response.text());
}

const inner = (port: number): string => `GET /livez HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`;

/** A second request hides in the body of the first, where a proxy would not see it. */
const smuggled = (
  name: string,
  framing: (length: number) => string,
  wrap: (text: string) => string = (text) => text,
): Attack => {
  const expected = 'HTTP/1.1 200';
  const send = async ({ port }: World, silenceMs: number, [frame, body]: [string, string]): Promise<boolean> => {
    const head = `POST /api/v1/nowhere HTTP/1.1\r\nhost: localhost:${port}\r\n${frame}\r\n\r\n`;
    return (await sendBytes({ port, bytes: head + body, silenceMs, expected })).includes(expected);
  };
  return {
    name: `a request hides behind ${name}`,
    attempt: async (world) => await send(world, 3_000, [framing(inner(world.port).length), wrap(inner(world.port))]),
    counter: async (world) => await send(world, 60_000, ['content-length: 0', inner(world.port)]),
  };
};

/** A header asks the API to take the sender for another person. The counter-attack sends the credentials themselves. */
const asRoot = (name: string, headers: (world: World) => Record<string, string>, path = '/v1/me'): Attack => ({
  name,
  attempt: async (world) =>
    (await (await world.call('GET', path, { headers: headers(world) })).text()).includes('root@'),
  counter: async (world) => (await (await world.call('GET', '/v1/me', { as: 'root' })).text()).includes('root@'),
});

testAttacks('requests', [
  forgedRequest('of another site', () => ({ origin: 'http://evil.example' })),
  forgedRequest('in a sandboxed frame', () => ({ origin: 'null' })),
  forgedRequest('of a zone, which is the same site', ({ port }) => ({ origin: `http://app-rc.localhost:${port + 1}` })),
  forgedRequest('of another port of the host', ({ codehostUrl }) => ({ origin: codehostUrl })),
  forgedRequest('of a host that begins like ours', ({ url }) => ({ origin: `${url}.evil.example` })),
  forgedRequest('of our host with another scheme', ({ url }) => ({ origin: url.replace('http:', 'https:') })),
  forgedRequest('without an Origin, from another site', () => ({ 'sec-fetch-site': 'cross-site' })),
  forgedRequest('without an Origin, from the same site', () => ({ 'sec-fetch-site': 'same-site' })),
  forgedRequest('whose form needs no preflight', ({ url }) => ({ origin: url, 'content-type': 'text/plain' })),
  {
    name: 'a sibling host adds a second session cookie',
    attempt: async (world) => {
      const cookie = `${world.credentials.mallory.cookie}; ${world.credentials.ada.cookie}`;
      return (await (await world.call('GET', '/v1/me', { headers: { cookie } })).text()).includes('mallory@');
    },
    counter: async (world) =>
      (await (await world.call('GET', '/v1/me', world.asBrowser('mallory'))).text()).includes('mallory@'),
  },
  asRoot('a stolen session cookie serves as a token', ({ credentials }) => ({
    authorization: `Bearer ${credentials.root.cookie.split('=')[1]}`,
  })),
  asRoot('a stolen token serves as a session cookie', ({ credentials }) => ({
    cookie: `${credentials.root.cookie.split('=')[0]}=${credentials.root.token}`,
  })),
  asRoot('a token in the address counts', () => ({}), '/v1/me?access_token=TOKEN'),
  asRoot('a header of a gateway names root', () => ({
    'x-service-user': 'root@example.com',
    'x-forwarded-user': 'root',
  })),
  asRoot('a password in basic authentication counts', ({ credentials: { root } }) => ({
    authorization: `Basic ${Buffer.from(`${root.email}:${root.password}`).toString('base64')}`,
  })),
  pathTrick('/api/v1/orgs/evil/../acme/products'),
  pathTrick('/api/v1/orgs/evil/%2e%2e/acme/products'),
  pathTrick('/api/v1/orgs/evil%2f..%2facme/products'),
  pathTrick('/api/v1/orgs//acme/products'),
  pathTrick('/api/v1/orgs/%61cme/products'),
  pathTrick('/api/v1/orgs/ACME/products'),
  pathTrick('/api/v1/orgs/acme%00/products'),
  pathTrick('/api/v1/orgs/evil/products/..%2f..%2facme%2fproducts'),
  {
    name: 'mallory names the path in a header of a proxy',
    attempt: async (world) => {
      const path = '/api/v1/orgs/acme/products';
      const headers = { 'x-original-url': path, 'x-rewrite-url': path };
      const response = await world.call('GET', '/v1/orgs/evil/products', { as: 'mallory', headers });
      return listsShop(response.status, await response.text());
    },
    counter: async (world) => await listsProducts(world, '/v1/orgs/acme/products'),
  },
  {
    name: 'a header turns a read into a deletion',
    attempt: async (world) =>
      await deletesToken(world, 'GET', { 'x-http-method-override': 'DELETE', 'x-method-override': 'DELETE' }),
    counter: async (world) => await deletesToken(world, 'DELETE', {}),
  },
  smuggled('two lengths', (length) => `content-length: 0\r\ncontent-length: ${length}`),
  smuggled(
    'a length and chunks',
    (length) => `content-length: ${length + 5}\r\ntransfer-encoding: chunked`,
    (text) => `0\r\n\r\n${text}`,
  ),
  smuggled('an unknown encoding', () => 'transfer-encoding: xchunked\r\ncontent-length: 0'),
  smuggled('a space before the colon', (length) => `content-length : ${length}`),
  smuggled('a folded header', (length) => `x: y\r\n content-length: ${length}`),
  smuggled('a line feed without carriage return', (length) => `x: y\ncontent-length: ${length}`),
]);

async function deletesToken(world: World, method: string, headers: Record<string, string>): Promise<boolean> {
  const { name } = (await (
    await world.call('POST', '/v1/me/tokens', { ...world.asBrowser('nora'), body: { label: 'victim' } })
  ).json()) as { name: string };
  await world.call(method, `/v1/me/tokens/${name}`, { as: 'nora', headers });
  const { items } = await world.read<{ items: { name: string }[] }>('/v1/me/tokens', 'nora');
  const isDeleted = !items.some((token) => token.name === name);
  if (!isDeleted) await world.write('DELETE', `/v1/me/tokens/${name}`, 'nora');
  return isDeleted;
}
