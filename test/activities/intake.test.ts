import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createIntakeActivities, type DeliveryMatch } from '../../activities/intake.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { type AgentLimits, OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind, type RunCause } from '../../src/rules/changes/kinds.ts';
import type { SourceEvent } from '../../src/rules/intake/events.ts';
import { DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

const namespace = 'org-acme';
const facts: SourceEvent & { event: 'issues' } = {
  event: 'issues',
  action: 'opened',
  labels: [],
  senderIsBot: false,
  isPullRequest: false,
  repo: 'acme/hello',
  number: 7,
};

let store: Store;
beforeEach(() => void (store = openSqliteStore({ file: ':memory:' })));
afterEach(async () => await store.close());

async function start(agents: AgentLimits, ...workflows: string[]): Promise<void> {
  const spec = { codehostAccount: 'acme', gitopsRepo: 'acme/gitops', agents };
  await store.create(OrganizationKind, { metadata: { namespace: 'service-system', name: 'acme' }, spec });
  const zones = [{ name: 'hello-prod', arrival: 'automatic' as const }];
  const product = { repos: ['acme/hello'], delivery: { zones } };
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: product });
  const triggers = [{ type: 'event' as const, event: 'issue.opened' as const }];
  const steps = [{ name: 'approve', type: 'human' as const }];
  for (const name of workflows) {
    await store.create(AgentWorkflowKind, { metadata: { namespace, name }, spec: { enabled: true, triggers, steps } });
  }
}

async function ran(name: string, number: number, cause?: RunCause): Promise<void> {
  const target = { repo: 'acme/hello', number };
  const caused = cause && { cause };
  const spec = { agentWorkflow: 'a', product: 'hello', target, startedBy: 'ada', steps: [], roles: {}, ...caused };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
}

async function matches(now = new Date(), given: SourceEvent = facts): Promise<(string | undefined)[]> {
  const { matchDelivery } = createIntakeActivities({ store, now: () => now });
  const found: DeliveryMatch[] = await new MockActivityEnvironment().run(
    async () => await matchDelivery({ org: 'acme', facts: given }),
  );
  return found.map(({ starts, reason }) => (starts ? 'starts' : reason));
}

const tooMany = expect.stringContaining('2 runs were started for it within an hour');

it('starts no more runs for a target than are left of the hour, and says why', async () => {
  await start({ runsPerTargetAndHour: 2 }, 'a', 'b', 'c');
  expect(await matches()).toEqual(['starts', 'starts', tooMany]);
  await ran('one', 7);
  await ran('elsewhere', 8);
  expect(await matches()).toEqual(['starts', tooMany, tooMany]);
  await ran('two', 7);
  expect(await matches()).toEqual([tooMany, tooMany, tooMany]);
  expect(await matches(new Date(Date.now() + 61 * 60_000))).toEqual(['starts', 'starts', tooMany]);
});

it('finds the Product in whatever letter case the code host tells the repo, and says it as the Product does', async () => {
  await start({}, 'a');
  const { matchDelivery } = createIntakeActivities({ store, now: () => new Date() });
  const found = await matchDelivery({ org: 'acme', facts: { ...facts, repo: 'ACME/Hello' } });
  expect(found).toEqual([{ agentWorkflow: 'a', starts: true, product: 'hello', repo: 'acme/hello' }]);
  expect(await matches(new Date(), { ...facts, repo: 'umbrella/hello' })).toEqual(['no Product lists this repo']);
});

it('takes the labels that come with an opening for the opening, also when the run it started is over', async () => {
  const at = '2026-01-01T00:00:05.000Z';
  await start({}, 'a');
  await ran('first', 7, { event: 'issue.opened', labels: ['x', 'y'], at });
  const workflow = await store.get(AgentWorkflowKind, { namespace, name: 'a' });
  const triggers = [{ type: 'event' as const, event: 'issue.labeled' as const }];
  await store.replace(AgentWorkflowKind, { ...workflow, spec: { ...workflow.spec, triggers } });
  const labeled = { ...facts, action: 'labeled' as const, label: 'y', labels: ['y', 'x'], at, openedAt: at };
  const twin = 'the opening of the issue started first already';
  expect(await matches(new Date(), labeled)).toEqual([twin]);
  const others: SourceEvent[] = [
    { ...labeled, labels: ['x', 'y', 'z'], label: 'z' },
    { ...labeled, at: '2026-01-01T00:01:06.000Z' },
    { ...labeled, openedAt: '2025-12-31T00:00:00.000Z' },
    { ...labeled, number: 8 },
  ];
  for (const other of others) expect(await matches(new Date(), other), JSON.stringify(other)).toEqual(['starts']);
  await ran('second', 9, { event: 'issue.labeled', label: 'y', labels: ['x', 'y'], at });
  // Taken off and put on again it is a new wish; the same event, or the other label of the same opening, is not.
  const again = { ...labeled, number: 9, at: '2026-01-01T00:00:35.000Z' };
  expect(await matches(new Date(), again)).toEqual(['starts']);
  expect(await matches(new Date(), { ...labeled, number: 9 })).toEqual(['it started second already']);
  expect(await matches(new Date(), { ...labeled, number: 9, label: 'x' })).toEqual([
    'the opening of the issue started second already',
  ]);
});

it('notes a delivery once, newest first, and keeps the newest 200 of each AgentWorkflow', async () => {
  await start({}, 'a', 'b');
  const { recordDelivery } = createIntakeActivities({ store, now: () => new Date() });
  const note = async (count: number, agentWorkflow: string): Promise<void> => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString();
    const routed = [{ agentWorkflow, reason: 'no trigger takes these labels' }];
    await recordDelivery({ org: 'acme', delivery: `d-${count}`, routing: `r-${count}`, facts, at, routed });
  };
  for (let count = 1; count <= 205; count += 1) await note(count, 'a');
  await note(205, 'a');
  await note(1, 'b');
  await note(1, 'gone');
  const { items } = await store.list(DeliveryKind, { namespace });
  const ofA = items.filter(({ spec }) => spec.agentWorkflow === 'a').map(({ spec }) => spec.delivery);
  expect(ofA).toEqual(Array.from({ length: 200 }, (_, at) => `d-${205 - at}`));
  expect(items).toHaveLength(201);
  await store.delete(AgentWorkflowKind, { namespace, name: 'a' });
  expect((await store.list(DeliveryKind, { namespace })).items).toHaveLength(1);
});
