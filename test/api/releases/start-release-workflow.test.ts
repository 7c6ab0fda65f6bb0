import { expect, it } from 'vitest';
import { startReleaseWorkflow } from '../../../api/releases/start-release-workflow.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createStartingTemporal } from '../temporal/start-fixture.ts';

const input = { org: 'acme', product: 'shop', repo: 'acme/shop', commit: 'c'.repeat(40), startedBy: 'ada' };

async function start(running?: { startedBy: string }) {
  const { temporal, started } = createStartingTemporal({ release: 'shop-v1.0.0' }, running);
  const deps = { store: openTestStore(), temporal } as never;
  const request = { id: 'r1', hasIdempotencyKey: true };
  return { temporal, started, start: async () => await startReleaseWorkflow(deps, input, { request, payload: input }) };
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
