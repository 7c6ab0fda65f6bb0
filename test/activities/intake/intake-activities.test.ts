import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createIntakeActivities, type DeliveryMatch } from '../../../activities/intake/intake-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { withAcceptedCondition } from '../../../src/rules/conditions.ts';
import { createRunStatus } from '../../../src/rules/changes/run-status.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { type AgentLimits, OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind, type RunCause } from '../../../src/rules/changes/kinds.ts';
import type { CodehostEvent } from '../../../src/rules/intake/events.ts';
import { DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';
import { ignored } from '../../../src/rules/intake/ignored-reasons.ts';
import type { Store } from '../../../src/store/store.ts';

const namespace = 'org-acme';
const facts: CodehostEvent & { event: 'issues' } = {
  event: 'issues',
  action: 'opened',
  labels: [],
  senderIsBot: false,
  authorIsMember: true,
  isPullRequest: false,
  repo: 'acme/hello',
  number: 7,
};

let store: Store;
beforeEach(() => void (store = openMemoryStore()));
afterEach(async () => await store.close());

async function start(agents: AgentLimits, ...workflows: string[]): Promise<void> {
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', agents };
  await store.create(OrganizationKind, { metadata: { namespace: 'service-system', name: 'acme' }, spec });
  const zones = [{ name: 'hello-prod', promotionPolicy: 'automatic' as const }];
  const product = { repos: ['acme/hello'], delivery: { zones } };
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: product });
  const triggers = [{ type: 'event' as const, event: 'issue.opened' as const }];
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const name of workflows) {
    await store.create(AgentWorkflowKind, { metadata: { namespace, name }, spec: { enabled: true, triggers, steps } });
  }
}

async function createRun(name: string, number: number, cause?: RunCause): Promise<void> {
  const target = { repo: 'acme/hello', number };
  const caused = cause && { cause };
  const spec = { agentWorkflow: 'a', product: 'hello', target, startedBy: 'ada', steps: [], roles: {}, ...caused };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
}

const { quotas } = loadConfig({});

async function listMatches(
  now = new Date(),
  event: CodehostEvent = facts,
  { runsPerOrg } = quotas,
): Promise<(string | undefined)[]> {
  const { matchDelivery } = createIntakeActivities({ store, now: () => now, quotas: { ...quotas, runsPerOrg } });
  const found: DeliveryMatch[] = await new MockActivityEnvironment().run(
    async () => await matchDelivery({ org: 'acme', facts: event }),
  );
  return found.map(({ starts, message }) => (starts ? 'starts' : message));
}

const limitReached = expect.stringContaining('2 runs were started for this target within an hour');

it('limits the runs per target and hour, and returns the reason', async () => {
  await start({ runsPerTargetPerHour: 2 }, 'a', 'b', 'c');
  expect(await listMatches()).toEqual(['starts', 'starts', limitReached]);
  await createRun('one', 7);
  await createRun('elsewhere', 8);
  expect(await listMatches()).toEqual(['starts', limitReached, limitReached]);
  await createRun('two', 7);
  expect(await listMatches()).toEqual([limitReached, limitReached, limitReached]);
  expect(await listMatches(new Date(Date.now() + 61 * 60_000))).toEqual(['starts', 'starts', limitReached]);
});

it('starts no run while as many runs of the org are in progress as its quota allows', async () => {
  await start({}, 'a', 'b');
  await createRun('elsewhere', 8);
  const status = { ...createRunStatus([], new Date().toISOString()), phase: 'Running' as const };
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'elsewhere' }, () => status);
  const quotaReached = 'the org has reached the limit of 2 runs in progress (QUOTA_RUNS_PER_ORG)';
  expect(await listMatches(new Date(), facts, { ...quotas, runsPerOrg: 2 })).toEqual(['starts', quotaReached]);
  const one = quotaReached.replace('2 runs', '1 runs');
  const other = { ...facts, number: 9 };
  expect(await listMatches(new Date(), other, { ...quotas, runsPerOrg: 1 })).toEqual([one, one]);
  await createRun('another', 8);
  await store.updateStatus(AgentWorkflowRunKind, { namespace, name: 'another' }, () => status);
  // A quota that was lowered since is exceeded.
  expect(await listMatches(new Date(), other, { ...quotas, runsPerOrg: 1 })).toEqual([one, one]);
});

it('matches nothing until a restore is complete, whose runs show what the event has started', async () => {
  await start({}, 'a');
  await setRestorePhase(store, 'Restoring');
  await expect(listMatches()).rejects.toThrow('"restore-1" is in progress');
  const at = '2026-01-01T00:00:05.000Z';
  await createRun('first', 7, { event: 'issue.opened', labels: [], at });
  await setRestorePhase(store, 'Succeeded');
  expect(await listMatches(new Date(), { ...facts, at })).toEqual(['the event already started first']);
});

it('starts no run of a rejected AgentWorkflow, and returns the reason', async () => {
  await start({}, 'a', 'b');
  const finding = { rejection: 'No.', generation: 1, at: '2026-01-01T00:00:00.000Z' };
  const conditions = withAcceptedCondition([], finding);
  await store.updateStatus(AgentWorkflowKind, { namespace, name: 'a' }, () => ({ conditions }));
  expect(await listMatches()).toEqual(['the spec of the AgentWorkflow is not valid', 'starts']);
});

it('finds the Product in any letter case of the repo and returns the spelling of its spec', async () => {
  await start({}, 'a');
  const { matchDelivery } = createIntakeActivities({ store, now: () => new Date(), quotas });
  const found = await matchDelivery({ org: 'acme', facts: { ...facts, repo: 'ACME/Hello' } });
  expect(found).toEqual([{ agentWorkflow: 'a', starts: true, product: 'hello', repo: 'acme/hello' }]);
  expect(await listMatches(new Date(), { ...facts, repo: 'umbrella/hello' })).toEqual(['no Product has this repo']);
});

it('treats labels that are added with the opening of an issue as the same event', async () => {
  const at = '2026-01-01T00:00:05.000Z';
  await start({}, 'a');
  await createRun('first', 7, { event: 'issue.opened', labels: ['x', 'y'], at });
  const workflow = await store.get(AgentWorkflowKind, { namespace, name: 'a' });
  const triggers = [{ type: 'event' as const, event: 'issue.labeled' as const }];
  await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, triggers } });
  const labeled = { ...facts, action: 'labeled' as const, label: 'y', labels: ['y', 'x'], at, openedAt: at };
  const duplicate = 'the opening of the issue already started first';
  expect(await listMatches(new Date(), labeled)).toEqual([duplicate]);
  const others: CodehostEvent[] = [
    { ...labeled, labels: ['x', 'y', 'z'], label: 'z' },
    { ...labeled, at: '2026-01-01T00:01:06.000Z' },
    { ...labeled, openedAt: '2025-12-31T00:00:00.000Z' },
    { ...labeled, number: 8 },
  ];
  for (const other of others) expect(await listMatches(new Date(), other), JSON.stringify(other)).toEqual(['starts']);
  await createRun('second', 9, { event: 'issue.labeled', label: 'y', labels: ['x', 'y'], at });
  // A label that is added again is a new event; another label of the same opening is not.
  const again = { ...labeled, number: 9, at: '2026-01-01T00:00:35.000Z' };
  expect(await listMatches(new Date(), again)).toEqual(['starts']);
  expect(await listMatches(new Date(), { ...labeled, number: 9 })).toEqual(['the event already started second']);
  expect(await listMatches(new Date(), { ...labeled, number: 9, label: 'x' })).toEqual([
    'the opening of the issue already started second',
  ]);
});

it('records a delivery once and keeps the newest 200 and those of the last hour per AgentWorkflow', async () => {
  await start({}, 'a', 'b');
  let now = new Date('2026-01-01T01:00:01.000Z');
  const { recordDelivery } = createIntakeActivities({ store, now: () => now, quotas });
  const record = async (count: number, agentWorkflow: string): Promise<void> => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();
    const routed = [{ agentWorkflow, ...ignored('label-mismatch') }];
    await recordDelivery({ org: 'acme', deliveryId: `d-${count}`, workflowId: `r-${count}`, facts, at, routed });
  };
  for (let count = 1; count <= 205; count += 1) await record(count, 'a');
  expect((await store.list(DeliveryKind, { namespace })).items).toHaveLength(205);
  now = new Date('2026-01-01T01:00:10.000Z');
  await record(205, 'a');
  await record(1, 'b');
  await record(1, 'gone');
  const { items } = await store.list(DeliveryKind, { namespace });
  const deliveryIds = items.filter(({ spec }) => spec.agentWorkflow === 'a').map(({ spec }) => spec.deliveryId);
  expect(deliveryIds).toEqual(Array.from({ length: 200 }, (_, at) => `d-${205 - at}`));
  expect(items).toHaveLength(201);
  await store.delete(AgentWorkflowKind, { namespace, name: 'a' });
  expect((await store.list(DeliveryKind, { namespace })).items).toHaveLength(1);
});
