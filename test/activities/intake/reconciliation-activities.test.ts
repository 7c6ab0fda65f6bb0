import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createReconciliationActivities } from '../../../activities/intake/reconciliation-activities.ts';
import { isNonRetryable } from '../../../activities/to-failure.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import type { CodehostEvent } from '../../../src/rules/intake/events.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const since = '2026-01-01T12:00:00.000Z';

async function createHarness(host: Partial<OrgCodehost>, repos = ['acme/shop']) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos, delivery: { zones: [] } },
  });
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: 'change' },
    spec: {
      enabled: true,
      triggers: [{ type: 'event', event: 'issue.opened' }],
      steps: [{ name: 'approve', type: 'human' }],
    },
  });
  const activities = createReconciliationActivities({
    store,
    codehost: { forOrg: async () => host as OrgCodehost },
    now: () => new Date(since),
  });
  return { store, activities };
}

const opened = {
  event: 'issues' as const,
  action: 'opened' as const,
  repo: 'acme/shop',
  number: 7,
  labels: [],
  senderIsBot: false,
  authorIsMember: true,
  isPullRequest: false,
  at: new Date(Date.now() + 30_000).toISOString(),
} satisfies CodehostEvent;

it('redelivers failed deliveries of the last two hours at least', async () => {
  const queries: string[] = [];
  const { activities } = await createHarness({
    redeliverFailedDeliveries: async (query) => queries.push(query.since),
  });
  expect(await activities.redeliverFailedDeliveries({ org: 'acme', since, retryDelayMs: 1 })).toBe(true);
  const earlier = '2026-01-01T08:00:00.000Z';
  await activities.redeliverFailedDeliveries({ org: 'acme', since: earlier, retryDelayMs: 1 });
  expect(queries).toEqual(['2026-01-01T10:00:00.000Z', '2026-01-01T07:55:00.000Z']);
});

it('returns false without an org or its connection, and true while the code host refuses the app', async () => {
  const refuse = (reason: 'codehost-not-connected' | 'codehost-conflict' | 'forbidden') => ({
    redeliverFailedDeliveries: async () => Promise.reject(new ServiceError(reason, 'No.')),
  });
  const { activities, store } = await createHarness(refuse('codehost-not-connected'));
  const query = { org: 'acme', since, retryDelayMs: 1 };
  expect(await activities.redeliverFailedDeliveries(query)).toBe(false);
  for (const reason of ['codehost-conflict', 'forbidden'] as const) {
    const { activities: refused } = await createHarness(refuse(reason));
    expect(await refused.redeliverFailedDeliveries(query), reason).toBe(true);
  }
  await store.delete(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  expect(await activities.redeliverFailedDeliveries(query)).toBe(false);
});

it('finds events without a delivery until they have started a run', async () => {
  const other = { ...opened, number: 8, action: 'labeled' as const, label: 'x' };
  const { activities, store } = await createHarness({ listEventsSince: async () => [opened, other] });
  expect(await activities.findMissedEvents({ org: 'acme', since })).toEqual({ events: [opened] });
  expect(await activities.recheckMissedEvents({ org: 'acme', events: [opened] })).toEqual([opened]);
  await store.create(AgentWorkflowRunKind, {
    metadata: { namespace, name: 'change-shop-7' },
    spec: {
      agentWorkflow: 'change',
      product: 'shop',
      target: { repo: 'acme/shop', number: 7 },
      startedBy: 'ada',
      steps: [],
      roles: {},
      cause: { event: 'issue.opened', labels: [], at: opened.at },
    },
  });
  expect(await activities.recheckMissedEvents({ org: 'acme', events: [opened] })).toEqual([]);
});

it.each(['not-found', 'invalid'] as const)(
  'finds nothing in a repo for which the code host says: %s',
  async (reason) => {
    const { activities } = await createHarness({
      listEventsSince: async () => Promise.reject(new ServiceError(reason, 'No.')),
    });
    expect(await activities.findMissedEvents({ org: 'acme', since })).toEqual({ events: [] });
  },
);

it('reads some repos at a time, and the others also if one is blocked', async () => {
  const repos = Array.from({ length: 20 }, (_, index) => `acme/repo-${index}`);
  let reading = 0;
  const counts: number[] = [];
  const listEventsSince = async (repo: string): Promise<CodehostEvent[]> => {
    counts.push((reading += 1));
    await setImmediate();
    reading -= 1;
    if (repo === 'acme/repo-3') throw new ServiceError('not-found', 'Blocked.');
    return [{ ...opened, repo }];
  };
  const { activities } = await createHarness({ listEventsSince }, repos);
  const { events } = await activities.findMissedEvents({ org: 'acme', since });
  expect(events.map(({ repo }) => repo)).toEqual(repos.filter((repo) => repo !== 'acme/repo-3'));
  expect(Math.max(...counts)).toBe(8);
});

it('fails while the application has no access, so that a retry finds the events of this time', async () => {
  const { activities } = await createHarness({
    listEventsSince: async () => Promise.reject(new ServiceError('codehost-access-denied', 'Suspended.')),
  });
  const failure = await activities.findMissedEvents({ org: 'acme', since }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: 'Suspended.' });
  expect(isNonRetryable(failure)).toBe(false);
});
