import { expect, it } from 'vitest';
import { createPasswordHasher, type PasswordHasher } from '../../../api/auth/password-hasher.ts';
import { createUserWithPassword, dummyHash, findUserByCredentials } from '../../../api/auth/passwords.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { startApi } from '../../support/start-api.ts';

const hasher = createPasswordHasher();
const credentials = { email: 'Jo@example.com', password: 'a long enough password' };

it('finds the user by the right password only, and stores only a hash of it', async () => {
  const { store } = await startApi();
  const user = await createUserWithPassword({ store, hasher }, credentials, false);
  const found = await findUserByCredentials({ store, hasher }, { ...credentials, email: 'jo@example.com' });
  expect(found?.metadata.name).toBe(user.metadata.name);
  expect(await findUserByCredentials({ store, hasher }, { ...credentials, password: 'wrong' })).toBeUndefined();
  expect(JSON.stringify(await store.list(SecretKind))).not.toContain(credentials.password);
});

it('rejects a second user with the same address', async () => {
  const { store } = await startApi();
  await createUserWithPassword({ store, hasher }, credentials, false);
  const again = createUserWithPassword({ store, hasher }, { ...credentials, email: 'JO@example.com' }, false);
  await expect(again).rejects.toMatchObject({ reason: 'already-exists' });
});

it('does the same work for an unknown user as for a wrong password', async () => {
  const { store } = await startApi();
  await createUserWithPassword({ store, hasher }, credentials, false);
  const verified: string[] = [];
  const counting: PasswordHasher = {
    ...hasher,
    verify: async (passwordHash, password) => {
      verified.push(passwordHash);
      return await hasher.verify(passwordHash, password);
    },
  };
  for (const email of [credentials.email, 'unknown@example.com'])
    expect(await findUserByCredentials({ store, hasher: counting }, { email, password: 'wrong' })).toBeUndefined();
  const toCost = (passwordHash = ''): string => passwordHash.split('$').slice(0, 4).join('$');
  expect(verified.map(toCost)).toEqual([toCost(dummyHash), toCost(dummyHash)]);
  expect(verified[1]).toBe(dummyHash);
  expect(verified[0]).not.toBe(dummyHash);
});
