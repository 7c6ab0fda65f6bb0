import { expect, it } from 'vitest';
import { createPasswordHasher, type PasswordHasher } from '../../../api/auth/password-hasher.ts';
import {
  createUserWithPassword,
  deleteLeftoverPassword,
  dummyHash,
  findUserByCredentials,
  replacePassword,
  savePassword,
} from '../../../api/auth/passwords.ts';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import { UserKind } from '../../../src/rules/access/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { startApi } from '../../support/start-api.ts';

const hasher = createPasswordHasher();
const credentials = { email: 'Jo@example.com', password: 'a long enough password' };

it('finds the user by the right password only, and stores only a hash of it', async () => {
  const { store } = await startApi();
  const user = await createUserWithPassword({ store, hasher }, credentials, false);
  const found = await findUserByCredentials({ store, hasher }, { ...credentials, email: 'jo@example.com' });
  expect(found?.user.metadata.name).toBe(user.metadata.name);
  expect(await findUserByCredentials({ store, hasher }, { ...credentials, password: 'wrong' })).toBeUndefined();
  expect(JSON.stringify(await store.list(SecretKind))).not.toContain(credentials.password);
});

it('rejects a second user with the same address', async () => {
  const { store } = await startApi();
  await createUserWithPassword({ store, hasher }, credentials, false);
  const again = createUserWithPassword({ store, hasher }, { ...credentials, email: 'JO@example.com' }, false);
  await expect(again).rejects.toMatchObject({ reason: 'already-exists' });
});

it('keeps the password of a user when another person asks for the same address', async () => {
  const { store } = await startApi();
  await createUserWithPassword({ store, hasher }, credentials, false);
  const stolen = { ...credentials, password: 'the password of a stranger' };
  await expect(createUserWithPassword({ store, hasher }, stolen, false)).rejects.toMatchObject({ code: 'conflict' });
  expect(await findUserByCredentials({ store, hasher }, stolen)).toBeUndefined();
  expect(await findUserByCredentials({ store, hasher }, credentials)).toBeDefined();
});

it('creates a user after an earlier attempt saved the password only', async () => {
  const store = openTestStore();
  let attempts = 0;
  const create: Store['create'] = async (kind, object) => {
    if (kind.kind === UserKind.kind && (attempts += 1) === 1) throw new Error('The store is away.');
    return await store.create(kind, object);
  };
  const deps = { store: { ...store, create }, hasher };
  await expect(createUserWithPassword(deps, credentials, false)).rejects.toThrow('The store is away.');
  expect(await findUserByCredentials(deps, credentials)).toBeUndefined();
  const changed = { ...credentials, password: 'another long password' };
  await createUserWithPassword(deps, changed, false);
  expect(await findUserByCredentials(deps, credentials)).toBeUndefined();
  expect(await findUserByCredentials(deps, changed)).toBeDefined();
});

it('deletes the password of an address without a user only', async () => {
  const store = openTestStore();
  await savePassword({ store, hasher }, 'gone@example.com', credentials.password);
  await createUserWithPassword({ store, hasher }, credentials, false);
  for (const email of ['gone@example.com', credentials.email, 'unknown@example.com'])
    await deleteLeftoverPassword(store, email);
  expect((await store.list(SecretKind)).items).toHaveLength(1);
  expect(await findUserByCredentials({ store, hasher }, credentials)).toBeDefined();
});

it('keeps the password of the request that created the user, of two at once', async () => {
  const store = openTestStore();
  const [saved, replaced] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first: Store = {
    ...store,
    create: async (kind, object) => {
      if (kind.kind === UserKind.kind) await replaced.promise;
      const created = await store.create(kind, object);
      if (kind.kind === SecretKind.kind) saved.resolve();
      return created;
    },
  };
  const creating = createUserWithPassword({ store: first, hasher }, credentials, false);
  const second: Store = {
    ...store,
    find: async (kind, ref) => {
      if (kind.kind === SecretKind.kind) await saved.promise;
      return await store.find(kind, ref);
    },
    replace: async (kind, object) => {
      const written = await store.replace(kind, object);
      replaced.resolve();
      return written;
    },
    create: async (kind, object) => {
      await creating;
      return await store.create(kind, object);
    },
  };
  const others = { ...credentials, password: 'the password of the other' };
  const again = createUserWithPassword({ store: second, hasher }, others, false);
  await expect(again).rejects.toMatchObject({ reason: 'already-exists' });
  expect((await creating).spec.email).toBe('jo@example.com');
  expect(await findUserByCredentials({ store, hasher }, credentials)).toBeDefined();
  expect(await findUserByCredentials({ store, hasher }, others)).toBeUndefined();
});

it('rejects a user who was created at the same moment, and leaves that user no password', async () => {
  const store = openTestStore();
  const create: Store['create'] = async (kind, object) => {
    // The other request is faster.
    if (kind.kind === UserKind.kind) await store.create(kind, object);
    return await store.create(kind, object);
  };
  const again = createUserWithPassword({ store: { ...store, create }, hasher }, credentials, false);
  await expect(again).rejects.toThrow('A user "Jo@example.com" already exists. Sign in as that user.');
  expect((await store.list(SecretKind)).items).toEqual([]);
  expect(await findUserByCredentials({ store, hasher }, credentials)).toBeUndefined();
});

it('deletes the password with the User', async () => {
  const store = openTestStore();
  const { metadata } = await createUserWithPassword({ store, hasher }, credentials, false);
  await store.delete(UserKind, metadata);
  expect((await store.list(SecretKind)).items).toEqual([]);
});

it('replaces the password that was verified, but not one that another request has saved since', async () => {
  const store = openTestStore();
  await createUserWithPassword({ store, hasher }, credentials, false);
  const verified = await findUserByCredentials({ store, hasher }, credentials);
  if (!verified) throw new TypeError('The password was not verified.');
  expect(await replacePassword({ store, hasher }, verified, 'the password that was chosen')).toBe(true);
  expect(await replacePassword({ store, hasher }, verified, 'the password of a thief')).toBe(false);
  const next = { ...credentials, password: 'the password that was chosen' };
  const current = await findUserByCredentials({ store, hasher }, next);
  if (!current) throw new TypeError('The password was not replaced.');
  const find: Store['find'] = async (kind, ref) => {
    const found = await store.find(kind, ref);
    // A reset comes between the read and the write.
    await savePassword({ store, hasher }, credentials.email, 'the password of the reset');
    return found;
  };
  expect(await replacePassword({ store: { ...store, find }, hasher }, current, 'too late')).toBe(false);
  const reset = { ...credentials, password: 'the password of the reset' };
  expect(await findUserByCredentials({ store, hasher }, reset)).toBeDefined();
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
