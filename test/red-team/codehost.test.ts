import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { findCodehostCredentials } from '../../src/main/wiring/find-codehost-credentials.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { unguardedApi } from './unguarded-api.ts';
import { type Call, sendRequest, type World } from './world.ts';

const unguarded = unguardedApi();

const readOwnerToken = async ({ dataDir }: World): Promise<string> =>
  (await readFile(join(dataDir, 'codehost', 'token'), 'utf8')).trim();

const manifest = (port: number) =>
  JSON.stringify({
    name: `backdoor-${crypto.randomUUID().slice(0, 8)}`,
    url: 'http://localhost:1',
    redirect_url: `http://localhost:${port}/`,
    hook_attributes: { url: 'http://localhost:1/', active: false },
    default_permissions: { contents: 'write' },
    default_events: [],
  });

/** Registers an app for an account. Returns its code. */
async function registerApp(
  { codehostUrl, port }: World,
  headers: Record<string, string>,
  account = 'acme',
): Promise<string | undefined> {
  const response = await fetch(`${codehostUrl}/organizations/${account}/settings/apps/new`, {
    method: 'POST',
    body: new URLSearchParams({ manifest: manifest(port) }),
    headers,
    redirect: 'manual',
  });
  return URL.parse(response.headers.get('location') ?? '')?.searchParams.get('code') ?? undefined;
}

const asOwner = async (world: World) => ({ authorization: `Bearer ${await readOwnerToken(world)}` });

const convert = async (world: World, headers: Record<string, string>): Promise<boolean> => {
  const code = await registerApp(world, await asOwner(world));
  const url = `${world.codehostUrl}/api/v3/app-manifests/${code}/conversions`;
  return (await fetch(url, { method: 'POST', headers })).ok;
};

/** The code host as an org of the service sees it. */
const forOrg = async (world: World, org: string) =>
  await world.withStore(async (store) => {
    const apiUrl = `${world.codehostUrl}/api/v3`;
    return await octokitCodehost({ apiUrl, findCredentials: findCodehostCredentials(store), throttle: false }).forOrg(
      org,
    );
  });

/** An app of evil uses the API of the code host for a repo of acme. The counter-attack is the app of acme. */
const foreignApp = (name: string, use: (host: Awaited<ReturnType<typeof forOrg>>) => Promise<unknown>): Attack => {
  const succeeds = async (world: World, org: string): Promise<boolean> =>
    await use(await forOrg(world, org)).then(
      (result) => result !== undefined,
      () => false,
    );
  return {
    name: `the app of evil ${name}`,
    attempt: async (world) => await succeeds(world, 'evil'),
    counter: async (world) => await succeeds(world, 'acme'),
  };
};

const withHost = async (port: number, host: string, path: string, headers = {}): Promise<boolean> =>
  (await sendRequest({ port, path, headers: { host, ...headers } })).status === 200;

/** Root starts to connect an org in a browser. Returns whether the redirect from the code host connects it. */
async function finishesConnection(world: World, finish: (cookie: string) => RequestHeaders): Promise<boolean> {
  const headers = { ...world.asBrowser('root').headers, origin: world.url };
  const name = `org-${crypto.randomUUID().slice(0, 8)}`;
  await world.write('POST', '/v1/orgs', 'root', { name });
  const started = await world.call('POST', `/v1/orgs/${name}/codehost/connect`, { headers });
  const { state } = (await started.json()) as { state: string };
  const cookie = started.headers
    .getSetCookie()
    .map((one) => one.split(';')[0] ?? '')
    .join('; ');
  const code = await registerApp(world, await asOwner(world), name);
  return (await world.call('GET', `/v1/codehost/callback?code=${code}&state=${state}`, finish(cookie))).ok;
}
type RequestHeaders = { headers: Record<string, string> };

const finishAs = (world: World, person: 'root' | 'mallory', cookie: string): RequestHeaders => ({
  headers: { cookie: [world.credentials[person].cookie, cookie].filter(Boolean).join('; ') },
});

testAttacks('code host', [
  {
    name: 'mallory completes the connection that root started',
    attempt: async (world) => await finishesConnection(world, (cookie) => finishAs(world, 'mallory', cookie)),
    counter: async (world) => await finishesConnection(world, (cookie) => finishAs(world, 'root', cookie)),
  },
  {
    name: 'a link completes a connection in another browser of root',
    attempt: async (world) => await finishesConnection(world, () => finishAs(world, 'root', '')),
    counter: async (world) => await finishesConnection(world, (cookie) => finishAs(world, 'root', cookie)),
  },
  {
    name: 'the git token of one repo opens another repo of the org',
    attempt: async (world) => await opensRepo(world, 'acme/hello'),
    counter: async (world) => await opensRepo(world, 'acme/shop'),
  },
  {
    name: 'a stranger registers an app of acme',
    attempt: async (world) => (await registerApp(world, {})) !== undefined,
    counter: async (world) => (await registerApp(world, await asOwner(world))) !== undefined,
  },
  {
    name: 'a stranger takes the key of an app with its code',
    attempt: async (world) => await convert(world, {}),
    counter: async (world) => await convert(world, await asOwner(world)),
  },
  {
    name: 'a stranger changes a repo',
    attempt: async (world) => await openIssue(world, {}),
    counter: async (world) => await openIssue(world, await asOwner(world)),
  },
  {
    name: 'a stranger pushes to a repo',
    attempt: async (world) => await push(world, ''),
    counter: async (world) => await push(world, `owner:${await readOwnerToken(world)}`),
  },
  {
    name: 'a guessed token pushes to a repo',
    attempt: async (world) => await push(world, `owner:${'0'.repeat(40)}`),
    counter: async (world) => await push(world, `owner:${await readOwnerToken(world)}`),
  },
  {
    name: 'a page on a rebound host asks the code host',
    attempt: async (world) =>
      await withHost(world.port + 2, 'evil.test', '/api/v3/repos/acme/shop', await asOwner(world)),
    counter: async (world) =>
      await withHost(world.port + 2, `localhost:${world.port + 2}`, '/api/v3/repos/acme/shop', await asOwner(world)),
  },
  {
    name: 'a page on a rebound host opens a zone that requires sign-in',
    attempt: async ({ port }) => await withHost(port + 7, 'shop.shop-rc.evil.test', '/'),
    counter: async ({ port }) => await withHost(port + 7, 'shop.shop-rc.svc.localhost', '/'),
  },
  {
    name: 'a stranger reads the metrics of all orgs at the API',
    attempt: async ({ port }) => await withHost(port, `localhost:${port}`, '/metrics'),
    counter: async ({ metricsPort }) => await withHost(metricsPort, `localhost:${metricsPort}`, '/metrics'),
  },
  {
    name: 'a person without a role counts the orgs of the installation',
    attempt: async ({ call }) => await countsOrgs(call),
    counter: async (world) => await countsOrgs(await unguarded(world)),
  },
  foreignApp('reads a file of acme', async (host) => await host.readFile('acme/shop', 'server.js', 'main')),
  foreignApp('asks for a git token of a repo of acme', async (host) => await host.getGitRemote('acme/shop')),
  foreignApp(
    'opens an issue of acme',
    async (host) => await host.createIssue('acme/shop', { title: 'Hi', body: '', labels: [] }),
  ),
  foreignApp(
    'writes a branch of acme',
    async (host) =>
      await host.commitFiles('acme/shop', {
        branch: 'service/evil',
        base: (await host.findBranchHead('acme/shop', 'main')) ?? '',
        message: 'Mine',
        changes: [{ path: 'evil.txt', content: `${Math.random()}` }],
      }),
  ),
]);

const countsOrgs = async (call: Call): Promise<boolean> =>
  'resources' in ((await (await call('GET', '/v1/status', { as: 'nora' })).json()) as object);

async function openIssue({ codehostUrl }: World, headers: Record<string, string>): Promise<boolean> {
  const body = JSON.stringify({ title: 'Hello' });
  return (await fetch(`${codehostUrl}/api/v3/repos/acme/shop/issues`, { method: 'POST', body, headers })).ok;
}

/** Asks for the refs that a push would change, which git does before it sends anything. */
async function push(world: World, credentials: string): Promise<boolean> {
  const authorization =
    credentials === '' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  const path = '/acme/shop.git/info/refs?service=git-receive-pack';
  return await withHost(world.port + 2, `localhost:${world.port + 2}`, path, authorization);
}

/** Uses the git token of acme/shop. */
async function opensRepo(world: World, repo: string): Promise<boolean> {
  const { authorization } = await (await forOrg(world, 'acme')).getGitRemote('acme/shop');
  const path = `/${repo}.git/info/refs?service=git-receive-pack`;
  return await withHost(world.port + 2, `localhost:${world.port + 2}`, path, { authorization });
}
