import { randomBytes } from 'node:crypto';
import { createToken } from '../../src/rules/access/token.ts';
import { tokenName } from '../../api/auth/authenticate.ts';
import { ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { testAttacks } from './attacks.ts';
import type { World } from './world.ts';

type SignIn = { email: string; password: string; address: string; origin?: string };

const signIn = async ({ call, url }: World, { address, origin = url, ...body }: SignIn): Promise<number> =>
  (await call('POST', '/v1/auth/sign-in', { body, headers: { origin, 'x-forwarded-for': address } })).status;

/** Sends wrong passwords from the first address, and then the right one of alice from the second. */
const isLockedOut = async (world: World, attacker: string, owner: string): Promise<boolean> => {
  const { email, password } = world.credentials.alice;
  for (let tries = 0; tries < 11; tries += 1)
    await signIn(world, { email, password: 'a wrong password', address: attacker });
  return (await signIn(world, { email, password, address: owner })) === 429;
};

/** Tries one password at more accounts than an address may. Returns true when no attempt is throttled. */
const spray = async (world: World, toAddress: (index: number) => string): Promise<boolean> => {
  for (let index = 0; index < 21; index += 1) {
    const email = `person-${index}@example.com`;
    if ((await signIn(world, { email, password: 'Winter 2026 !!', address: toAddress(index) })) === 429) return false;
  }
  return true;
};

/** Tries more passwords at one account than one address may. Returns true when no attempt is throttled. */
const guess = async (world: World, toAddress: (index: number) => string): Promise<boolean> => {
  for (let index = 0; index < 11; index += 1) {
    const login = { email: 'vic@example.com', password: `guess ${index}`, address: toAddress(index) };
    if ((await signIn(world, login)) === 429) return false;
  }
  return true;
};

type Minted = { name: string; token?: string };

/** Creates a token with a token, or with the browser session of nora. */
async function mint(world: World, bearer?: string): Promise<Minted> {
  const headers =
    bearer === undefined
      ? { ...world.asBrowser('nora').headers, origin: world.url }
      : { authorization: `Bearer ${bearer}` };
  return (await (await world.call('POST', '/v1/me/tokens', { body: { label: 'red team' }, headers })).json()) as Minted;
}

const isValid = async ({ call }: World, token = ''): Promise<boolean> =>
  (await call('GET', '/v1/me', { headers: { authorization: `Bearer ${token}` } })).ok;

testAttacks('sign-in', [
  {
    name: 'a stranger locks alice out with wrong passwords',
    attempt: async (world) => await isLockedOut(world, '198.51.100.1', '203.0.113.1'),
    counter: async (world) => await isLockedOut(world, '198.51.100.2', '198.51.100.2'),
  },
  {
    name: 'a stranger tries one password at all accounts',
    attempt: async (world) => await spray(world, () => '198.51.100.3'),
    counter: async (world) => await spray(world, (index) => `198.51.101.${index}`),
  },
  {
    name: 'a stranger makes up addresses in front of the own one',
    attempt: async (world) => await guess(world, (index) => `192.0.2.${index}, 198.51.100.4`),
    counter: async (world) => await guess(world, (index) => `198.51.100.4, 198.51.102.${index}`),
  },
  {
    name: 'a stranger uses many addresses of one IPv6 network',
    attempt: async (world) => await guess(world, (index) => `2001:db8:1:1::${index}`),
    counter: async (world) => await guess(world, (index) => `2001:db8:2:${index}::1`),
  },
  {
    name: 'a token creates one that outlives it',
    attempt: async (world) => await mintsAnother(world, async (stolen) => await mint(world, stolen.token)),
    counter: async (world) => await mintsAnother(world, async () => await mint(world)),
  },
  {
    name: 'a token of a removed person works for the next one of that address',
    attempt: async (world) => await isValid(world, await plantToken(world, 'uid of a removed person')),
    counter: async (world) => await isValid(world, await plantToken(world)),
  },
]);

/** Returns true if a second token works after the first was revoked. */
async function mintsAnother(world: World, create: (first: Minted) => Promise<Minted>): Promise<boolean> {
  const first = await mint(world);
  const second = await create(first);
  await world.write('DELETE', `/v1/me/tokens/${first.name}`, 'nora');
  const works = await isValid(world, second.token);
  if (works) await world.write('DELETE', `/v1/me/tokens/${second.name}`, 'nora');
  return works;
}

/** Writes a token of nora to the store. By default it names the person who has that address now. */
async function plantToken({ withStore }: World, uid?: string): Promise<string> {
  const token = createToken(randomBytes(32));
  await withStore(async (store) => {
    const { items } = await store.list(UserKind, { namespace: systemNamespace });
    const { metadata } = items.find(({ spec }) => spec.email === 'nora@example.com') ?? {};
    const spec = {
      use: 'token' as const,
      user: metadata?.name ?? '',
      userUid: uid ?? metadata?.uid ?? '',
      label: 'old',
    };
    await store.create(ApiTokenKind, { metadata: { namespace: systemNamespace, name: tokenName(token) }, spec });
  });
  return token;
}
