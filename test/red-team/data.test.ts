import { UserKind } from '../../src/rules/access/kinds.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { artifactDataKey, artifactRunLabel } from '../../src/rules/changes/evidence.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { testAttacks } from './attacks.ts';
import { unguardedApi } from './unguarded-api.ts';
import type { Call, Person, World } from './world.ts';

const unguarded = unguardedApi();
const products = (org: string): string => `/v1/orgs/${org}/products`;
const newProduct = (name: string) => ({ name, spec: { repos: [], delivery: { zones: [] } } });
const exists = async ({ call }: World, org: string, name: string): Promise<boolean> =>
  (await call('GET', `${products(org)}/${name}`, { as: 'root' })).ok;

/** Reads the second page of acme's Products with the token of the first, at a list of an org. */
async function readsNextPage(world: World, org: string, call: Call): Promise<boolean> {
  await world.call('POST', products('acme'), { as: 'ada', body: newProduct('basket') });
  const page = await world.read<{ continue: string }>(`${products('acme')}?limit=1`, 'vic');
  const path = `${products(org)}?limit=5&continue=${encodeURIComponent(page.continue)}`;
  return (await (await call('GET', path, { as: 'mallory' })).text()).includes('"shop"');
}

const repeatsStart = async (
  { call }: World,
  key: string,
  [org, product]: [string, string],
  as: Person,
): Promise<string> => {
  const body = { agentWorkflow: 'ask', product, instructions: 'Ask a person.' };
  const headers = { 'idempotency-key': key };
  const response = await call('POST', `/v1/orgs/${org}/agentworkflowruns`, { as, body, headers });
  return ((await response.json()) as { name?: string }).name ?? 'none';
};

/** Merges a body as many programs do, which the API never does. */
function mergeDeep(target: Record<string, unknown>, source: Record<string, unknown>): Record<string, unknown> {
  for (const [key, value] of Object.entries(source))
    if (typeof value === 'object' && value !== null)
      mergeDeep((target[key] ??= {}) as Record<string, unknown>, value as Record<string, unknown>);
    else target[key] = value;
  return target;
}
const pollution = '{"email":"x@example.com","password":"a long password","__proto__":{"polluted":"yes"}}';

testAttacks('data', [
  {
    name: 'mallory learns which orgs exist',
    attempt: async (world) => (await describeOrg(world.call, 'acme')) !== (await describeOrg(world.call, 'nowhere')),
    counter: async (world) => {
      const call = await unguarded(world);
      return (await describeOrg(call, 'acme')) !== (await describeOrg(call, 'nowhere'));
    },
  },
  {
    name: 'a stranger learns who has an account',
    attempt: async (world) => (await describeSignIn(world, 'ada')) !== (await describeSignIn(world, 'nowhere')),
    counter: async (world) => {
      const { password } = world.credentials.ada;
      return (await describeSignIn(world, 'ada', password)) !== (await describeSignIn(world, 'nowhere', password));
    },
  },
  {
    name: 'mallory reads on in a list of acme with a page token',
    attempt: async (world) => await readsNextPage(world, 'evil', world.call),
    counter: async (world) => await readsNextPage(world, 'acme', await unguarded(world)),
  },
  {
    name: 'mallory gets a list that the API keeps for acme',
    attempt: async (world) => await getsKeptList(world.call),
    counter: async (world) => await getsKeptList(await unguarded(world)),
  },
  {
    name: 'mallory gets the run of alice with her Idempotency-Key',
    attempt: async (world) => {
      const name = await repeatsStart(world, 'key-one', ['acme', 'shop'], 'alice');
      return (await repeatsStart(world, 'key-one', ['acme', 'shop'], 'mallory')) === name;
    },
    counter: async (world) => {
      const name = await repeatsStart(world, 'key-two', ['acme', 'shop'], 'alice');
      return (await repeatsStart(world, 'key-two', ['acme', 'shop'], 'alice')) === name;
    },
  },
  {
    name: 'mallory names another org in the body',
    attempt: async (world) => {
      const body = { ...newProduct('mine'), org: 'acme', namespace: 'org-acme', metadata: { namespace: 'org-acme' } };
      await world.call('POST', products('evil'), { as: 'mallory', body });
      return await exists(world, 'acme', 'mine');
    },
    counter: async (world) => {
      await world.call('POST', products('acme'), { as: 'ada', body: newProduct('mine') });
      return await exists(world, 'acme', 'mine');
    },
  },
  {
    name: 'mallory creates a token of root',
    attempt: async (world) => (await mintsToken(world, 'mallory', { user: 'root@example.com' })) === 'root@example.com',
    counter: async (world) => (await mintsToken(world, 'root', {})) === 'root@example.com',
  },
  {
    name: 'mallory gives a group of evil the role of the platform',
    attempt: async (world) => await grants(world, 'platform-admin'),
    counter: async (world) => await grants(world, 'org-admin'),
  },
  {
    name: 'mallory reads a ConfigMap of the service as an artifact',
    attempt: async (world) => await readsConfigMap(world, {}),
    counter: async (world) => await readsConfigMap(world, { [artifactRunLabel]: 'change-app-1' }),
  },
  {
    name: 'a body changes the prototype of all objects',
    attempt: async ({ call, url }) =>
      (
        await call('POST', '/v1/auth/sign-in', {
          body: pollution,
          headers: { origin: url, 'x-forwarded-for': '203.0.113.3' },
        })
      ).status !== 422,
    counter: async () => {
      mergeDeep({}, JSON.parse(pollution) as Record<string, unknown>);
      const isPolluted = ({} as { polluted?: string }).polluted === 'yes';
      delete (Object.prototype as { polluted?: string }).polluted;
      return isPolluted;
    },
  },
  {
    name: 'a former platform admin sees the orgs that the API keeps for admins',
    attempt: async (world) => await listsOrgs(world, 'former-one', true),
    counter: async (world) => await listsOrgs(world, 'former-two', false),
  },
]);

async function getsKeptList(call: Call): Promise<boolean> {
  for (let tries = 0; tries < 2; tries += 1) await call('GET', products('acme'), { as: 'vic' });
  return (await (await call('GET', products('acme'), { as: 'mallory' })).text()).includes('"shop"');
}

async function mintsToken({ call, asBrowser }: World, as: Person, more: object): Promise<string | undefined> {
  const response = await call('POST', '/v1/me/tokens', { ...asBrowser(as), body: { label: 'mine', ...more } });
  const { token } = (await response.json()) as { token?: string };
  const me = await call('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } });
  return ((await me.json()) as { email?: string }).email;
}

const grants = async ({ call }: World, role: string): Promise<boolean> => {
  const group = { name: 'org-admins', role, members: ['mallory@example.com'] };
  return (
    await call('PUT', '/v1/orgs/evil/access-groups', {
      as: 'mallory',
      body: { accessGroups: [group] },
      headers: { 'if-match': '*' },
    })
  ).ok;
};

/** A platform admin lists all orgs, and lists them again after losing the role, if so. */
async function listsOrgs(
  { call, asBrowser, withStore, url }: World,
  name: string,
  isDemoted: boolean,
): Promise<boolean> {
  const login = { email: `${name}@example.com`, password: `the long password of ${name}` };
  await call('POST', '/v1/access/users', { ...asBrowser('root', { origin: url }), body: login });
  const setAdmin = async (platformAdmin: boolean): Promise<void> =>
    await withStore(async (store) => {
      const { items } = await store.list(UserKind, { namespace: systemNamespace });
      const user = items.find(({ spec }) => spec.email === login.email);
      if (user) await store.replace(UserKind, { ...user, spec: { ...user.spec, platformAdmin } });
    });
  await setAdmin(true);
  const headers = { origin: url, 'x-forwarded-for': '203.0.113.4' };
  const signedIn = await call('POST', '/v1/auth/sign-in', { body: login, headers });
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const list = async (): Promise<boolean> =>
    (await (await call('GET', '/v1/orgs', { headers: { cookie } })).text()).includes('"acme"');
  if (!(await list())) throw new Error('The admin lists no orgs.');
  if (isDemoted) await setAdmin(false);
  return await list();
}

/** Returns the answer about an org without what differs in any two answers. */
async function describeOrg(call: Call, org: string): Promise<string> {
  const response = await call('GET', `/v1/orgs/${org}`, { as: 'mallory' });
  const { detail } = (await response.json()) as { detail?: string };
  return `${response.status} ${detail?.replace(org, '')}`;
}

async function describeSignIn({ call, url }: World, name: string, password = 'a wrong password'): Promise<string> {
  const headers = { origin: url, 'x-forwarded-for': '203.0.113.5' };
  const response = await call('POST', '/v1/auth/sign-in', {
    body: { email: `${name}@example.com`, password },
    headers,
  });
  const { detail } = (await response.json()) as { detail?: string };
  return `${response.status} ${detail}`;
}

/** Reads a ConfigMap that is in the namespace of evil, but is an artifact only with the label of a run. */
async function readsConfigMap(world: World, labels: Record<string, string>): Promise<boolean> {
  const name = `settings-${Object.keys(labels).length}`;
  const binaryData = { [artifactDataKey]: Buffer.from('internal').toString('base64') };
  await world.withStore(
    async (store) =>
      await store.create(ConfigMapKind, { metadata: { namespace: 'org-evil', name, labels }, binaryData }),
  );
  return (await world.call('GET', `/v1/orgs/evil/artifacts/${name}`, { as: 'mallory' })).ok;
}
