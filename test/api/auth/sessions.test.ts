import { expect, it } from 'vitest';
import { endSessions, listSessions } from '../../../api/auth/sessions.ts';
import { ApiTokenKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const tokens = [
  ['s1', 'ada', 'session'],
  ['s2', 'ada', 'session'],
  ['t1', 'ada', 'token'],
  ['s3', 'eve', 'session'],
] as const;

async function seed(): Promise<Store> {
  const store = openTestStore();
  for (const [name, user, use] of tokens)
    await store.create(ApiTokenKind, {
      metadata: { namespace: systemNamespace, name },
      spec: { use, user, userUid: 'u', label: name, expiresAt: '2027-01-01T00:00:00.000Z' },
    });
  return store;
}
const listNames = async (store: Store): Promise<string[]> =>
  (await store.list(ApiTokenKind)).items.map(({ metadata }) => metadata.name).toSorted();

it('ends the browser sessions of a user, and of no one else', async () => {
  const store = await seed();
  expect((await listSessions(store, 'ada')).map(({ metadata }) => metadata.name).toSorted()).toEqual(['s1', 's2']);
  await endSessions(store, 'ada');
  expect(await listNames(store)).toEqual(['s3', 't1']);
  await endSessions(store, 'ada');
});

it('keeps the session of the request', async () => {
  const store = await seed();
  await endSessions(store, 'ada', { except: 's1' });
  expect(await listNames(store)).toEqual(['s1', 's3', 't1']);
});

it('passes over a session that is gone meanwhile, and throws other errors', async () => {
  const store = await seed();
  const twice: Store['delete'] = async (kind, ref, ...rest) => {
    await store.delete(kind, ref, ...rest);
    await store.delete(kind, ref, ...rest);
  };
  await endSessions({ ...store, delete: twice }, 'ada');
  expect(await listNames(store)).toEqual(['s3', 't1']);
  const broken = { ...store, delete: async () => await Promise.reject(new Error('away')) };
  await expect(endSessions(broken, 'eve')).rejects.toThrow('away');
});
