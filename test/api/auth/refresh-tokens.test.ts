import { expect, it } from 'vitest';
import {
  deleteRefreshToken,
  findRefreshToken,
  readRefreshToken,
  refreshTokenLabels,
  rotateRefreshToken,
  saveRefreshToken,
} from '../../../api/auth/refresh-tokens.ts';
import { type Secret, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { type User, UserKind } from '../../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const createUser = async (store: Store, name: string): Promise<User> =>
  await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name },
    spec: { email: `${name}@example.com`, platformAdmin: false },
  });

it('keeps one token for each user and provider, which the user owns', async () => {
  const store = openTestStore();
  const [ada, eve] = [await createUser(store, 'ada'), await createUser(store, 'eve')];
  const owners = [
    { user: ada, provider: 'sso' },
    { user: ada, provider: 'hub' },
    { user: eve, provider: 'sso' },
  ];
  for (const [index, owner] of owners.entries()) await saveRefreshToken(store, owner, `token ${index}`);
  await saveRefreshToken(store, { user: ada, provider: 'sso' }, 'token of the next sign-in');
  const read = async () =>
    await Promise.all(owners.map(async (owner) => readRefreshToken(await findRefreshToken(store, owner))));
  expect(await read()).toEqual(['token of the next sign-in', 'token 1', 'token 2']);
  const secret = await findRefreshToken(store, { user: ada, provider: 'sso' });
  expect(secret?.metadata).toMatchObject({
    labels: refreshTokenLabels('sso'),
    ownerReferences: [{ kind: 'User', name: 'ada', uid: ada.metadata.uid }],
  });
  for (let time = 0; time < 2; time += 1) await deleteRefreshToken(store, { user: ada, provider: 'sso' });
  expect(await read()).toEqual([undefined, 'token 1', 'token 2']);
});

it('rotates the token that was read, and neither one of a later sign-in nor one that is gone', async () => {
  const store = openTestStore();
  const owner = { user: await createUser(store, 'ada'), provider: 'sso' };
  const find = async (): Promise<Secret> => (await findRefreshToken(store, owner)) as Secret;
  await saveRefreshToken(store, owner, 'first');
  const first = await find();
  await rotateRefreshToken(store, first, 'second');
  expect(readRefreshToken(await find())).toBe('second');
  await rotateRefreshToken(store, first, 'late');
  expect(readRefreshToken(await find())).toBe('second');
  const second = await find();
  await deleteRefreshToken(store, owner);
  await rotateRefreshToken(store, second, 'late');
  expect((await store.list(SecretKind)).items).toEqual([]);
});

it('throws when the token cannot be rotated or deleted for another reason', async () => {
  const broken = {
    replace: async () => await Promise.reject(new Error('away')),
    delete: async () => await Promise.reject(new Error('away')),
  } as unknown as Store;
  await expect(rotateRefreshToken(broken, {} as Secret, 'second')).rejects.toThrow('away');
  const owner = { user: await createUser(openTestStore(), 'ada'), provider: 'sso' };
  await expect(deleteRefreshToken(broken, owner)).rejects.toThrow('away');
});
