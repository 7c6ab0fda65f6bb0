import { describe, expect, it } from 'vitest';
import { createIntakeActivities } from '../../../activities/intake/intake-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import type { IssueEvent } from '../../../src/rules/intake/events.ts';
import { ignored } from '../../../src/rules/intake/ignored-reasons.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../../src/rules/intake/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const org = 'acme';
const { quotas } = loadConfig({});
const facts: IssueEvent = {
  event: 'issues',
  action: 'opened',
  labels: [],
  senderIsBot: false,
  authorIsMember: true,
  isPullRequest: false,
  repo: 'acme/hello',
  number: 7,
};

async function createHarness({
  workflows = ['a', 'b'],
  runsPerOrg = quotas.runsPerOrg,
  isEnabled = true,
  finalizers = [] as string[],
} = {}) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: org, finalizers },
    spec: { codehostAccount: org, gitopsRepo: 'acme/gitops' },
  });
  const repos = ['acme/other', 'acme/hello'];
  await store.create(ProductKind, { metadata: { namespace, name: 'hello' }, spec: { repos, delivery: { zones: [] } } });
  for (const name of workflows)
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: {
        enabled: isEnabled,
        triggers: [{ type: 'event', event: 'issue.opened' }],
        steps: [{ name: 'approve', type: 'human' }],
      },
    });
  const activities = createIntakeActivities({ store, now: () => new Date(), quotas: { ...quotas, runsPerOrg } });
  return { store, ...activities, match: async () => await activities.matchDelivery({ org, facts }) };
}

describe('matchDelivery', () => {
  it('matches nothing in an org that is being deleted', async () => {
    const { store, match } = await createHarness({ finalizers: ['test/keep'] });
    expect(await match()).toHaveLength(2);
    await store.delete(OrganizationKind, { namespace: 'service-system', name: org });
    expect(await match()).toEqual([]);
  });

  it('starts nothing for the repo of a Product that is being deleted', async () => {
    const { store, match } = await createHarness({ workflows: ['a'] });
    await store.updateStatus(ProductKind, { namespace, name: 'hello' }, () => ({ deletionMessage: 'by ada' }));
    expect(await match()).toMatchObject([{ agentWorkflow: 'a', starts: false, reason: 'product-not-found' }]);
  });

  it('matches nothing that no trigger waits for', async () => {
    const { matchDelivery } = await createHarness();
    expect(await matchDelivery({ org, facts: { ...facts, action: 'labeled', label: 'x' } })).toEqual([]);
  });

  it('starts nothing for the repo of a rejected Product', async () => {
    const { store, match } = await createHarness({ workflows: ['a'] });
    await store.updateStatus(ProductKind, { namespace, name: 'hello' }, () => ({
      conditions: [
        {
          type: 'Accepted',
          status: 'False' as const,
          reason: 'Invalid',
          message: 'No',
          observedGeneration: 1,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    }));
    expect(await match()).toEqual([
      { agentWorkflow: 'a', starts: false, reason: 'product-not-found', message: 'no Product has this repo' },
    ]);
  });

  it('names the Product also when nothing starts', async () => {
    const { matchDelivery } = await createHarness({ workflows: ['a'] });
    const byBot = { ...facts, senderIsBot: true, senderIsOwnApp: true };
    const found = await matchDelivery({ org, facts: byBot });
    for (const match of found) expect(match).toMatchObject({ starts: false, product: 'hello', repo: 'acme/hello' });
  });

  it('names the limit that is reached first', async () => {
    const { match } = await createHarness({ workflows: ['a', 'b', 'c'], runsPerOrg: 1 });
    expect(await match()).toMatchObject([
      { agentWorkflow: 'a', starts: true },
      {
        agentWorkflow: 'b',
        starts: false,
        reason: 'quota-reached',
        message: expect.stringContaining('QUOTA_RUNS_PER_ORG'),
      },
      { agentWorkflow: 'c', starts: false, reason: 'quota-reached' },
    ]);
  });
});

it('starts no more runs for deliveries at once than the quota of the org allows', async () => {
  const { matchDelivery } = await createHarness({ workflows: ['a'], runsPerOrg: 2 });
  const deliveries = [7, 8, 9].map(async (number) => await matchDelivery({ org, facts: { ...facts, number } }));
  const matches = (await Promise.all(deliveries)).flat();
  expect(matches.filter(({ starts }) => starts)).toHaveLength(2);
  expect(matches.find(({ starts }) => !starts)).toMatchObject({ reason: 'quota-reached' });
});

describe('recordDelivery', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const input = { org, deliveryId: 'd1', workflowId: 'w1', facts, at };

  it('records each result of a delivery, with its label', async () => {
    const { store, recordDelivery } = await createHarness();
    const routed = [
      { agentWorkflow: 'a', run: 'r1' },
      { agentWorkflow: 'gone' },
      { agentWorkflow: 'b', ...ignored('label-mismatch') },
    ];
    await recordDelivery({ ...input, facts: { ...facts, action: 'labeled', label: 'run' }, routed });
    const { items } = await store.list(DeliveryKind, { namespace });
    expect(items.map(({ spec }) => spec.agentWorkflow).toSorted()).toEqual(['a', 'b']);
    expect(items.find(({ spec }) => spec.agentWorkflow === 'a')).toMatchObject({
      metadata: {
        name: expect.stringMatching(/[^0-9a-f][0-9a-f]{12}$/),
        labels: { [agentWorkflowLabel]: 'a' },
        ownerReferences: [{ kind: 'AgentWorkflow', name: 'a' }],
      },
      spec: { deliveryId: 'd1', event: 'issue.labeled', repo: 'acme/hello', number: 7, label: 'run', at, run: 'r1' },
    });
  });

  it('records two deliveries of one moment apart', async () => {
    const { store, recordDelivery } = await createHarness();
    const routed = [{ agentWorkflow: 'a', ...ignored('label-mismatch') }];
    for (const workflowId of ['w1', 'w2', 'w1']) await recordDelivery({ ...input, workflowId, routed });
    expect((await store.list(DeliveryKind, { namespace })).items).toHaveLength(2);
    expect((await store.list(DeliveryKind, { namespace })).items[0]?.spec).not.toHaveProperty('label');
  });
});
