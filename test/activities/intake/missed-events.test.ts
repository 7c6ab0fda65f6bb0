import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { createReconciliationActivities } from '../../../activities/intake/reconciliation-activities.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { AgentWorkflowKind } from '../../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type RunSpec } from '../../../src/rules/changes/kinds.ts';
import type { CodehostEvent, IssueEvent } from '../../../src/rules/intake/events.ts';
import { DeliveryKind, type DeliverySpec } from '../../../src/rules/intake/kinds.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { setRestorePhase } from '../../support/set-restore-phase.ts';

const namespace = 'org-acme';
const org = 'acme';
const since = '2026-01-01T12:00:00.000Z';
/** The records of the test are created now, and an event is missed by those before it only. */
const at = (second: number): string => new Date(Date.now() + 30_000 + second * 1_000).toISOString();
const opened = (number: number, fields: Partial<IssueEvent> = {}): IssueEvent => ({
  event: 'issues',
  action: 'opened',
  repo: 'acme/shop',
  number,
  labels: [],
  senderIsBot: false,
  authorIsMember: true,
  isPullRequest: false,
  at: at(number),
  ...fields,
});

type Options = { events?: Record<string, CodehostEvent[]>; forOrg?: Codehost['forOrg']; events403?: string };

async function createHarness({ events = {}, forOrg, events403 = '' }: Options = {}) {
  const store = openTestStore();
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: org },
    spec: { codehostAccount: org, gitopsRepo: 'acme/gitops' },
  });
  const products = { shop: ['acme/shop', 'acme/more'], bakery: ['acme/shop', 'acme/bread'] };
  for (const [name, repos] of Object.entries(products))
    await store.create(ProductKind, { metadata: { namespace, name }, spec: { repos, delivery: { zones: [] } } });
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: 'change' },
    spec: {
      enabled: true,
      triggers: [
        { type: 'event', event: 'issue.opened' },
        { type: 'event', event: 'issue.labeled' },
      ],
      steps: [{ name: 'approve', type: 'human' }],
    },
  });
  const asked: [repo: string, since: string][] = [];
  const host: Partial<OrgCodehost> = {
    listEventsSince: async (repo, start) => {
      asked.push([repo, start]);
      if (repo === events403) throw new ServiceError('forbidden', 'No.');
      return events[repo] ?? [];
    },
    redeliverFailedDeliveries: async () => 0,
  };
  const activities = createReconciliationActivities({
    store,
    codehost: { forOrg: forOrg ?? (async () => host as OrgCodehost) },
    now: () => new Date(since),
  });
  const addDelivery = async (fields: Partial<z.infer<typeof DeliverySpec>>) =>
    await store.create(DeliveryKind, {
      metadata: { namespace, name: `d-${Math.random().toString(36).slice(2)}` },
      spec: {
        agentWorkflow: 'change',
        deliveryId: 'd',
        event: 'issue.opened',
        repo: 'acme/shop',
        number: 1,
        at: at(1),
        ...fields,
      },
    });
  const addRun = async (fields: Partial<RunSpec>) =>
    await store.create(AgentWorkflowRunKind, {
      metadata: { namespace, name: `r-${Math.random().toString(36).slice(2)}` },
      spec: { agentWorkflow: 'change', product: 'shop', startedBy: 'ada', steps: [], roles: {}, ...fields },
    });
  return { store, asked, addDelivery, addRun, ...activities };
}

it('waits for a restore, whose last objects show what was processed', async () => {
  const events = [opened(1)];
  const { store, addRun, ...activities } = await createHarness({ events: { 'acme/shop': events } });
  await setRestorePhase(store, 'Restoring');
  const inProgress = '"restore-1" is in progress';
  await expect(activities.findMissedEvents({ org, since })).rejects.toThrow(inProgress);
  await expect(activities.recheckMissedEvents({ org, events })).rejects.toThrow(inProgress);
  // The loop of an org that is not restored yet would end.
  const unknown = { org: 'umbrella', since, retryDelayMs: 1 };
  await expect(activities.redeliverFailedDeliveries(unknown)).rejects.toThrow(inProgress);
  await addRun({ target: { repo: 'acme/shop', number: 1 }, cause: { event: 'issue.opened', labels: [], at: at(1) } });
  await setRestorePhase(store, 'Succeeded');
  expect(await activities.findMissedEvents({ org, since })).toEqual({ events: [] });
  expect(await activities.recheckMissedEvents({ org, events })).toEqual([]);
  expect(await activities.redeliverFailedDeliveries(unknown)).toBe(false);
});

describe('findMissedEvents', () => {
  it('reads each repo of the org once, from a while before', async () => {
    const { findMissedEvents, asked } = await createHarness();
    expect(await findMissedEvents({ org, since })).toEqual({ events: [] });
    expect(asked.map(([repo]) => repo).toSorted()).toEqual(['acme/bread', 'acme/more', 'acme/shop']);
    expect(new Set(asked.map(([, start]) => start))).toEqual(new Set(['2026-01-01T11:55:00.000Z']));
  });

  it('returns the events of all repos by time, also when one cannot be read', async () => {
    const [one, two, three] = [opened(1), opened(2, { repo: 'acme/more' }), opened(3)];
    const { findMissedEvents } = await createHarness({
      events: { 'acme/shop': [three, one], 'acme/more': [two] },
      events403: 'acme/bread',
    });
    expect(await findMissedEvents({ org, since })).toEqual({ events: [one, two, three] });
  });

  it.each([
    [100, undefined],
    [101, 100],
  ])('returns a part of %i events, and until when it reaches', async (count, last) => {
    const events = Array.from({ length: count }, (_, index) => opened(index + 1));
    const { findMissedEvents } = await createHarness({ events: { 'acme/shop': events } });
    const found = await findMissedEvents({ org, since });
    expect(found.events).toHaveLength(100);
    expect(found.until).toBe(last === undefined ? undefined : events[last - 1]?.at);
    expect('until' in found).toBe(last !== undefined);
  });

  it.each(['forbidden', 'not-found', 'codehost-not-connected'] as const)(
    'finds nothing while the app has no access: %s',
    async (reason) => {
      const forOrg = async (): Promise<never> => await Promise.reject(new ServiceError(reason, 'No.'));
      const { findMissedEvents } = await createHarness({ forOrg });
      expect(await findMissedEvents({ org, since })).toEqual({ events: [] });
    },
  );

  it('fails when the code host cannot be reached', async () => {
    const forOrg = async (): Promise<never> => await Promise.reject(new ServiceError('codehost-unreachable', 'No.'));
    const { findMissedEvents, redeliverFailedDeliveries } = await createHarness({ forOrg });
    await expect(findMissedEvents({ org, since })).rejects.toThrow('No.');
    await expect(redeliverFailedDeliveries({ org, since, retryDelayMs: 1 })).rejects.toThrow('No.');
  });
});

describe('recheckMissedEvents', () => {
  const labeled = opened(1, { action: 'labeled', label: 'run', labels: ['run'] });

  it('leaves out what a delivery has brought, with the same label', async () => {
    const { recheckMissedEvents, addDelivery } = await createHarness();
    const events = [opened(1), labeled];
    expect(await recheckMissedEvents({ org, events })).toEqual(events);
    await addDelivery({ at: opened(1).at ?? '' });
    expect(await recheckMissedEvents({ org, events })).toEqual([labeled]);
    await addDelivery({ event: 'issue.labeled', label: 'other', at: labeled.at ?? '' });
    expect(await recheckMissedEvents({ org, events })).toEqual([labeled]);
    await addDelivery({ event: 'issue.labeled', label: 'run', at: labeled.at ?? '' });
    expect(await recheckMissedEvents({ org, events })).toEqual([]);
  });

  it('leaves out what has started a run with the same label', async () => {
    const { recheckMissedEvents, addRun } = await createHarness();
    const target = { repo: 'acme/shop', number: 1 };
    const cause = { event: 'issue.labeled', labels: ['run'], at: labeled.at ?? '' };
    await addRun({ target });
    await addRun({ cause: { ...cause, label: 'run' } });
    await addRun({ target, cause: { ...cause, label: 'other' } });
    expect(await recheckMissedEvents({ org, events: [labeled] })).toEqual([labeled]);
    await addRun({ target, cause: { ...cause, label: 'run' } });
    expect(await recheckMissedEvents({ org, events: [labeled] })).toEqual([]);
  });
});
