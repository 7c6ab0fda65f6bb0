import { expect, it } from 'vitest';
import { startReleaseWorkflow } from '../../../api/releases/start-release-workflow.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createStartingTemporal } from '../temporal/start-fixture.ts';

const input = { org: 'acme', product: 'shop', repo: 'acme/shop', commit: 'c'.repeat(40), startedBy: 'ada' };

async function start(running?: { startedBy: string; isCompleted?: boolean; firstRunId?: string }) {
  const { temporal, started } = createStartingTemporal({ release: 'shop-v1.0.0' }, running);
  const store = openTestStore();
  const deps = { store, temporal } as never;
  const request = { id: 'r1', hasIdempotencyKey: true };
  return {
    temporal,
    store,
    started,
    start: async () =>
      await startReleaseWorkflow(deps, { org: 'acme', request, payload: input, prepare: async () => input }),
  };
}

it('starts a Release once for a repeated request', async () => {
  const { start: send, started } = await start();
  expect([await send(), await send()]).toEqual(['shop-v1.0.0', 'shop-v1.0.0']);
  expect(started).toEqual([
    {
      workflowId: `promote-release/acme/shop/${input.commit}`,
      updateId: 'wait-for-release-r1',
      memo: { requestId: 'r1' },
    },
  ]);
});

it('returns the Release that an earlier attempt of the request started', async () => {
  const { start: send } = await start({ startedBy: 'r1' });
  expect(await send()).toBe('shop-v1.0.0');
});

it('returns the Release that an earlier attempt of the request started, also after it has ended', async () => {
  const { store, start: send, started } = await start({ startedBy: 'r1', isCompleted: true, firstRunId: 'any' });
  const { org: _, ...spec } = input;
  const metadata = { namespace: 'org-acme', name: 'shop-v1.0.0' };
  await store.create(ReleaseKind, { metadata, spec: { ...spec, version: 'v1.0.0' } });
  await store.create(ReleaseKind, {
    metadata: { ...metadata, name: 'shop-v1.1.0' },
    spec: { ...spec, commit: 'd'.repeat(40), version: 'v1.1.0' },
  });
  expect(await send()).toBe('shop-v1.0.0');
  expect(started).toEqual([]);
});

it('does not take the Release of another request for that of an attempt that has ended without one', async () => {
  const { store, temporal, start: send } = await start({ startedBy: 'r1', firstRunId: 'any' });
  const { org: _, ...spec } = input;
  const metadata = { namespace: 'org-acme', name: 'shop-v0.9.0' };
  await store.create(ReleaseKind, { metadata, spec: { ...spec, version: 'v0.9.0' } });
  const handle = temporal.workflow.getHandle('any');
  const describe = async () => ({ ...(await describeRunning()), status: { name: 'FAILED' } });
  const describeRunning = handle.describe.bind(handle);
  Object.assign(handle, { describe });
  expect(await send()).toBe('shop-v1.0.0');
});

it('names and links the Release of the commit that another request started', async () => {
  const { start: send } = await start({ startedBy: 'r2' });
  await expect(send()).rejects.toMatchObject({
    reason: 'release-in-progress',
    message: expect.stringContaining('"shop-v1.0.0"') as string,
    links: [{ title: 'Release shop-v1.0.0', url: '/acme/releases/shop-v1.0.0' }],
  });
});

it('takes no fault of a start for a Release that is in progress', async () => {
  const { temporal, start: send } = await start();
  const executeUpdateWithStart = async () => await Promise.reject(new Error('A fault.'));
  Object.assign(temporal.workflow, { executeUpdateWithStart });
  await expect(send()).rejects.toThrow('A fault.');
});
