import { isServiceError } from '../../src/errors.ts';
import type { Codehost, OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import type { CodehostEvent } from '../../src/rules/intake/events.ts';
import { DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { isMissed, listStartedWorkflows, type ProcessedEvent } from '../../src/rules/intake/missed-events.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';
import { isNonRetryable } from '../to-failure.ts';

export type ReconciliationDeps = { store: Store; codehost: Codehost; now: () => Date };
type MissedEventsQuery = { org: string; since: string };

/** Every reconciliation covers this much of the previous one again, because events can appear late. */
const overlapMs = 5 * 60_000;
/** A failed delivery is redelivered until this long after its first attempt. */
const redeliveryWindowMs = 2 * 60 * 60_000;
/** Limits one result, because the events are stored in a workflow's history. */
const eventsMax = 100;
/** An org may have hundreds of repos, and the list of each takes seconds. */
const concurrentReposMax = 8;

const subtractMs = (at: string, ms: number): string => new Date(Date.parse(at) - ms).toISOString();

export const createReconciliationActivities = ({ store, codehost, now }: ReconciliationDeps) => ({
  /** Makes the code host redeliver failed deliveries; returns false once the org or its connection is deleted. */
  redeliverFailedDeliveries: async ({
    org,
    since,
    retryDelayMs,
  }: MissedEventsQuery & { retryDelayMs: number }): Promise<boolean> => {
    await assertNoActiveRestore(store);
    if (!(await store.find(OrganizationKind, { namespace: systemNamespace, name: org }))) return false;
    try {
      const host = await codehost.forOrg(org);
      const windowStart = subtractMs(now().toISOString(), redeliveryWindowMs);
      const overlapStart = subtractMs(since, overlapMs);
      await host.redeliverFailedDeliveries({
        since: overlapStart < windowStart ? overlapStart : windowStart,
        now: now(),
        retryDelayMs,
      });
      return true;
    } catch (error) {
      if (isServiceError(error) && error.reason === 'codehost-not-connected') return false;
      return ignoreUnavailable(error, true);
    }
  },

  /** Finds events on the code host that would have started a run, but for which no delivery arrived. */
  findMissedEvents: async ({ org, since }: MissedEventsQuery): Promise<{ events: CodehostEvent[]; until?: string }> => {
    const host = await codehost.forOrg(org).catch((error: unknown) => awaitAccess(error, undefined));
    if (!host) return { events: [] };
    const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
    const repos = [...new Set(items.flatMap(({ spec }) => spec.repos))];
    const found: CodehostEvent[] = [];
    for (let first = 0; first < repos.length; first += concurrentReposMax) {
      const batch = repos.slice(first, first + concurrentReposMax);
      const lists = await Promise.all(batch.map((repo) => listEvents(host, repo, subtractMs(since, overlapMs))));
      found.push(...lists.flat());
    }
    const missed = await selectMissedEvents(store, org, found);
    const events = missed.toSorted((left, right) => (left.at ?? '').localeCompare(right.at ?? '')).slice(0, eventsMax);
    const until = events.length < missed.length ? events.at(-1)?.at : undefined;
    return until === undefined ? { events } : { events, until };
  },

  /** Returns the events for which still no delivery has arrived. */
  recheckMissedEvents: async ({ org, events }: { org: string; events: CodehostEvent[] }): Promise<CodehostEvent[]> =>
    await selectMissedEvents(store, org, events),
});

/**
 * A repo or an app that is not accessible now may be accessible at the next reconciliation. A refusal would end the
 * reconciliation of the org.
 */
function ignoreUnavailable<T>(error: unknown, fallback: T): T {
  if (isNonRetryable(error)) return fallback;
  throw error;
}

/** The events since an application lost its access are found once it has access again, because retries keep `since`. */
function awaitAccess<T>(error: unknown, fallback: T): T {
  if (isServiceError(error) && error.reason === 'codehost-access-denied') throw new Error(error.message);
  return ignoreUnavailable(error, fallback);
}

const listEvents = async (host: OrgCodehost, repo: string, since: string): Promise<CodehostEvent[]> =>
  await host.listEventsSince(repo, since).catch((error: unknown) => awaitAccess(error, []));

async function selectMissedEvents(store: Store, org: string, events: CodehostEvent[]): Promise<CodehostEvent[]> {
  await assertNoActiveRestore(store);
  const namespace = orgNamespace(org);
  const { items: workflows } = await store.list(AgentWorkflowKind, { namespace });
  const starting = events.filter((event) => listStartedWorkflows(event, workflows).length > 0);
  if (starting.length === 0) return [];
  const [{ items: deliveries }, { items: runs }] = await Promise.all([
    store.list(DeliveryKind, { namespace }),
    store.list(AgentWorkflowRunKind, { namespace }),
  ]);
  const processed: ProcessedEvent[] = [
    ...deliveries.map(({ spec: { agentWorkflow, repo, number, at, event, label } }) => {
      return { agentWorkflow, repo, number, at, event, ...(label !== undefined && { label }) };
    }),
    ...runs.flatMap(({ metadata: { creationTimestamp: at }, spec: { agentWorkflow, target, cause } }) => {
      if (!target || !cause) return [];
      const { event, label } = cause;
      return [
        { agentWorkflow, repo: target.repo, number: target.number, at, event, ...(label !== undefined && { label }) },
      ];
    }),
  ];
  return starting.filter((event) => isMissed(event, workflows, processed));
}
