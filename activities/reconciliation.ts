import { isServiceError } from '../src/errors.ts';
import type { Codehost, OrgCodehost } from '../src/integrations/codehost/codehost.ts';
import { AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../src/rules/changes/kinds.ts';
import type { SourceEvent } from '../src/rules/intake/events.ts';
import { DeliveryKind } from '../src/rules/intake/kinds.ts';
import { isUnrouted, startedBy, type Trace } from '../src/rules/intake/unrouted.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';

export type ReconciliationDeps = { store: Store; codehost: Codehost; now: () => Date };
type Since = { org: string; since: string };

/** Looked at again each time, for what one look was too early for. */
const overlapMs = 5 * 60_000;
/** A delivery is sent again for as long as this after it first failed. */
const redeliveredForMs = 2 * 60 * 60_000;
/** At a time: what is found goes through a workflow's history. */
const eventsMax = 100;

const earlier = (at: string, ms: number): string => new Date(Date.parse(at) - ms).toISOString();

export const createReconciliationActivities = ({ store, codehost, now }: ReconciliationDeps) => ({
  /** Has the code host send again what did not get through; false once the org or its connection is gone. */
  redeliverFailed: async ({ org, since, againMs }: Since & { againMs: number }): Promise<boolean> => {
    if (!(await store.find(OrganizationKind, { namespace: systemNamespace, name: org }))) return false;
    try {
      const host = await codehost.forOrg(org);
      const longAgo = earlier(now().toISOString(), redeliveredForMs);
      const from = earlier(since, overlapMs);
      await host.redeliverFailed({ since: from < longAgo ? from : longAgo, now: now(), againMs });
      return true;
    } catch (error) {
      if (isServiceError(error, 'conflict')) return false;
      return passOver(error, true);
    }
  },

  /** What happened on the code host and would have started a run, had anybody told of it. */
  findUnrouted: async ({ org, since }: Since): Promise<{ events: SourceEvent[]; until?: string }> => {
    const host = await codehost.forOrg(org).catch((error: unknown) => passOver(error, undefined));
    if (!host) return { events: [] };
    const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
    const repos = new Set(items.flatMap(({ spec }) => spec.repos));
    const happened: SourceEvent[] = [];
    for (const repo of repos) happened.push(...(await eventsOf(host, repo, earlier(since, overlapMs))));
    const unrouted = await withoutTrace(store, org, happened);
    const events = unrouted.toSorted((one, other) => (one.at ?? '').localeCompare(other.at ?? '')).slice(0, eventsMax);
    const until = events.length < unrouted.length ? events.at(-1)?.at : undefined;
    return until === undefined ? { events } : { events, until };
  },

  /** Those of them that still nobody has told of. */
  stillUnrouted: async ({ org, events }: { org: string; events: SourceEvent[] }): Promise<SourceEvent[]> =>
    await withoutTrace(store, org, events),
});

/** A repo or an application that cannot be reached now may be at the next look. */
function passOver<T>(error: unknown, instead: T): T {
  if (isServiceError(error, 'not-found') || isServiceError(error, 'forbidden') || isServiceError(error, 'conflict'))
    return instead;
  throw error;
}

const eventsOf = async (host: OrgCodehost, repo: string, since: string): Promise<SourceEvent[]> =>
  await host.eventsSince(repo, since).catch((error: unknown) => passOver(error, []));

async function withoutTrace(store: Store, org: string, events: SourceEvent[]): Promise<SourceEvent[]> {
  const namespace = orgNamespace(org);
  const { items: workflows } = await store.list(AgentWorkflowKind, { namespace });
  const starting = events.filter((event) => startedBy(event, workflows).length > 0);
  if (starting.length === 0) return [];
  const [{ items: notes }, { items: runs }] = await Promise.all([
    store.list(DeliveryKind, { namespace }),
    store.list(AgentWorkflowRunKind, { namespace }),
  ]);
  const traces: Trace[] = [
    ...notes.map(({ spec: { agentWorkflow, repo, number, at, event, label } }) => {
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
  return starting.filter((event) => isUnrouted(event, workflows, traces));
}
