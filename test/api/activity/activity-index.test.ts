import { expect, it } from 'vitest';
import { createActivityIndex } from '../../../api/activity/activity-index.ts';
import { hoursMax } from '../../../api/activity/schemas.ts';
import { AgentWorkflowRunKind, type RunStatus } from '../../../src/rules/changes/kinds.ts';
import { PromotionKind } from '../../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createResource } from '../dora/seed-hand-computed.ts';

const startedAt = '2026-11-01T00:00:00.000Z';
const finishedAt = '2026-11-01T01:00:00.000Z';
const keptUntil = Date.parse(finishedAt) + hoursMax * 60 * 60_000;

async function seed(store: Store): Promise<void> {
  const ended = { startedAt, finishedAt };
  const release = { product: 'shop', version: 'v1.0.0', commit: 'c', startedBy: 'ada@example.com' };
  const statuses: [string, RunStatus][] = [
    ['ended', { phase: 'Succeeded', ...ended, steps: [] }],
    ['open', { phase: 'Running', startedAt, steps: [] }],
  ];
  for (const [name, status] of statuses)
    await createResource(store, AgentWorkflowRunKind, {
      name,
      spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'ada@example.com', steps: [], roles: {} },
      status,
    });
  await createResource(store, ReleaseKind, {
    name: 'shop-v1',
    spec: { ...release, repo: 'acme/shop' },
    status: { phase: 'Succeeded', ...ended, zones: [] },
  });
  await createResource(store, PromotionKind, {
    name: 'shop-v1-prod',
    spec: { ...release, zone: 'prod', release: 'shop-v1', trigger: 'release' },
    status: { phase: 'Verified', phases: [{ phase: 'Promoting', at: startedAt }], ...ended },
  });
}

it('forgets what ended before the longest window, and keeps what goes on', async () => {
  const store = openTestStore();
  await seed(store);
  let now = keptUntil - 1;
  const shutdown = new AbortController();
  const index = createActivityIndex({ store, now: () => new Date(now), shutdownSignal: shutdown.signal });
  const records = await index.read('org-acme');
  const count = () => {
    const { runs, releases, promotions } = records.list();
    return [runs.map(({ name }) => name).toSorted(), releases.length, promotions.length];
  };
  expect(records.size).toBe(4);
  expect(count()).toEqual([['ended', 'open'], 1, 1]);
  now = keptUntil;
  expect(count()).toEqual([['open'], 0, 0]);
  expect(records.size).toBe(1);
  const later = createActivityIndex({ store, now: () => new Date(now), shutdownSignal: shutdown.signal });
  expect((await later.read('org-acme')).size).toBe(1);
  shutdown.abort();
});
