import { expect, it } from 'vitest';
import { createDeviceSignIn, findSignInByDeviceCode, takeSignIn } from '../../../api/device-sign-in/device-sign-ins.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const now = new Date('2027-01-01T00:00:00Z');
const tool = { client: 'svc', address: '192.0.2.1' };

/** Opens a store whose first creation fails with this error. */
function openFailingOnce(error: Error) {
  const store = openTestStore();
  const names: (string | undefined)[] = [];
  const create: Store['create'] = async (kind, object) => {
    names.push(object.metadata.name);
    if (names.length === 1) throw error;
    return await store.create(kind, object);
  };
  return { store: { ...store, create }, names };
}

it('takes another code when a tool has the first one', async () => {
  const { store, names } = openFailingOnce(new ServiceError('conflict', 'It exists.'));
  const { deviceCode } = await createDeviceSignIn(store, tool, now);
  expect(new Set(names).size).toBe(2);
  expect((await findSignInByDeviceCode(store, deviceCode))?.signIn).toMatchObject(tool);
});

it('throws every other error of the store', async () => {
  const { store, names } = openFailingOnce(new Error('The store is away.'));
  await expect(createDeviceSignIn(store, tool, now)).rejects.toThrow('The store is away.');
  expect(names).toHaveLength(1);
});

it('is taken once, and not at all while the store is away', async () => {
  const store = openTestStore();
  const { deviceCode } = await createDeviceSignIn(store, tool, now);
  const found = await findSignInByDeviceCode(store, deviceCode);
  const away: Store = { ...store, delete: async () => await Promise.reject(new Error('The store is away.')) };
  await expect(takeSignIn(away, found!)).rejects.toThrow('The store is away.');
  expect([await takeSignIn(store, found!), await takeSignIn(store, found!)]).toEqual([true, false]);
  expect(await findSignInByDeviceCode(store, deviceCode)).toBeUndefined();
});
