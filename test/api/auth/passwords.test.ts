import { expect, it } from 'vitest';
import { createUserWithPassword, findUserByCredentials } from '../../../api/auth/passwords.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { startApi } from '../../support/start-api.ts';

const credentials = { email: 'Jo@example.com', password: 'a long enough password' };

it('finds the user by the right password only, and stores only a hash of it', async () => {
  const { store } = await startApi();
  const user = await createUserWithPassword(store, credentials, false);
  const found = await findUserByCredentials(store, { ...credentials, email: 'jo@example.com' });
  expect(found?.metadata.name).toBe(user.metadata.name);
  expect(await findUserByCredentials(store, { ...credentials, password: 'wrong' })).toBeUndefined();
  expect(JSON.stringify(await store.list(SecretKind))).not.toContain(credentials.password);
});

it('rejects a second user with the same address', async () => {
  const { store } = await startApi();
  await createUserWithPassword(store, credentials, false);
  const again = createUserWithPassword(store, { ...credentials, email: 'JO@example.com' }, false);
  await expect(again).rejects.toMatchObject({ reason: 'already-exists' });
});
