import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createIntakeActivities, type DeliveryMatch } from '../../activities/intake.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { type AgentLimits, OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

const namespace = 'org-acme';
const facts = {
  event: 'issues' as const,
  action: 'opened' as const,
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

async function ran(name: string, number: number): Promise<void> {
  const target = { repo: 'acme/hello', number };
  const spec = { agentWorkflow: 'a', product: 'hello', target, startedBy: 'ada', steps: [], roles: {} };
  await store.create(AgentWorkflowRunKind, { metadata: { namespace, name }, spec });
}

async function matches(now = new Date()): Promise<(string | undefined)[]> {
  const { matchDelivery } = createIntakeActivities({ store, now: () => now });
  const found: DeliveryMatch[] = await new MockActivityEnvironment().run(
    async () => await matchDelivery({ org: 'acme', facts }),
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
