import { expect, it } from 'vitest';
import { createSignInGuards } from '../../../api/auth/sign-in-guards.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { startApi } from '../../support/start-api.ts';
import { credentials } from './session-fixture.ts';

/** Starts the API with the user "jo", whose password takes no time to verify. */
async function startApiWithGuards() {
  let now = Date.parse('2027-01-01T00:00:00Z');
  const hasher = {
    hash: async (password: string) => password,
    verify: async (hash: string, password: string) => hash === password,
  };
  const signInGuards = { ...createSignInGuards({ trustedProxies: [] }), hasher };
  const api = await startApi({ signInGuards, now: () => new Date(now) });
  await api.request('/v1/access/users', { method: 'POST', body: credentials });
  const signIn = async (change: Partial<typeof credentials> = {}): Promise<Response> => {
    const body = { ...credentials, ...change };
    return await api.request('/v1/auth/sign-in', { method: 'POST', body, role: 'anonymous' });
  };
  const countSessions = async (): Promise<number> =>
    (await api.store.list(ApiTokenKind, { fields: { 'spec.use': 'session' } })).items.length;
  return { ...api, signIn, countSessions, passHours: (hours: number) => void (now += hours * 3_600_000) };
}

it('429: counts the attempts at an account in any letter case of its address', async () => {
  const { signIn } = await startApiWithGuards();
  const emails = ['jo@example.com', 'JO@example.com', 'Jo@Example.com'];
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 12; attempt += 1)
    statuses.push((await signIn({ email: emails[attempt % 3] ?? '', password: 'guess' })).status);
  expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
});

it('200: forgets the failed attempts of a person who signs in', async () => {
  const { signIn } = await startApiWithGuards();
  for (let round = 0; round < 2; round += 1) {
    for (let attempt = 0; attempt < 9; attempt += 1) await signIn({ password: 'guess' });
    expect((await signIn()).status).toBe(200);
  }
});

it('deletes the sessions that have expired when the person signs in again', async () => {
  const { signIn, countSessions, passHours, request } = await startApiWithGuards();
  await signIn();
  passHours(6);
  const cookie = (await signIn()).headers.get('Set-Cookie')?.split(';')[0] ?? '';
  expect(await countSessions()).toBe(2);
  await request('/v1/me/tokens', { method: 'POST', body: { label: 'x' }, role: 'anonymous', headers: { cookie } });
  passHours(6);
  await signIn();
  expect(await countSessions()).toBe(2);
});
