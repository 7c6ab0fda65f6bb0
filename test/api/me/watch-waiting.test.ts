import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { WaitingChanges, waitingKinds } from '../../../api/me/waiting-changes.ts';
import { watchWaiting } from '../../../api/me/watch-waiting.ts';
import { SharedWatches } from '../../../src/store/shared-watches.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createOrg } from '../../support/start-api.ts';

/** Starts the watch of a platform admin of one org. */
async function startWatch() {
  const store = openTestStore();
  await createOrg(store, 'acme');
  const watches = new SharedWatches(store);
  let changes = 0;
  const watch = Promise.withResolvers<ReturnType<typeof watchWaiting>>();
  const app = new Hono<ApiEnv>().get('/', (c) => {
    c.set('sharedWatches', watches);
    c.set('caller', { user: 'user-1', email: 'root@example.com', platformAdmin: true, via: 'token' });
    const onChange = (): void => void (changes += 1);
    watch.resolve(watchWaiting(c, { store, waitingChanges: new WaitingChanges(), onChange }));
    return c.text('');
  });
  await app.request('/');
  return {
    ...(await watch.promise),
    countChanges: () => changes,
    listWatched: () => waitingKinds.filter((kind) => watches.version(kind) !== undefined),
  };
}

it('watches every kind that may wait in the orgs of the caller until it is closed', async () => {
  const { ready, close, countChanges, listWatched } = await startWatch();
  await ready;
  expect(countChanges()).toBe(1);
  expect(listWatched()).toEqual(waitingKinds);
  close();
  expect(listWatched()).toEqual([]);
});

it('watches no org when it is closed while the orgs are read', async () => {
  const { ready, close, countChanges, listWatched } = await startWatch();
  close();
  await ready;
  expect(listWatched()).toEqual([]);
  expect(countChanges()).toBe(0);
});
