import { keyedQueue } from '../keyed-queue.ts';
import { ConfigMapKind } from '../kinds/kubernetes.ts';
import { AgentWorkflowRunKind, type RunPhase } from '../rules/changes/kinds.ts';
import { workflowIdAnnotation } from '../rules/changes/run-names.ts';
import { requestLabels } from '../rules/expiry.ts';
import { orgNamespace } from '../rules/resource.ts';
import { applyObject } from './apply-object.ts';
import type { Store } from './store.ts';

/** A start creates its run within this time. Until the run exists, its reservation counts. */
const reservedMs = 60_000;
/** The phases in which a run uses workers and models, in their order, so that none is missed between the lists. */
const activePhases: RunPhase[] = ['Pending', 'Running'];

/** The starts of one process, which would otherwise refuse each other's writes. */
const orgQueue = keyedQueue();

type RunStarts = {
  org: string;
  /** The number of runs that the org may have in progress. */
  quota: number;
  /** The workflow ids of the runs that should start. */
  workflowIds: readonly string[];
  now: Date;
};

/**
 * Returns how many of the runs may start, in the order given, and reserves their places. The reservations of an org are
 * one object, so that concurrent starts, at any process, do not exceed the quota together.
 */
export async function reserveRuns(store: Store, { org, quota, workflowIds, now }: RunStarts): Promise<number> {
  if (workflowIds.length === 0) return 0;
  const ref = { namespace: orgNamespace(org), name: 'run-reservations', labels: requestLabels };
  let reserved = 0;
  const build = async (current: { data?: Record<string, string> } | undefined) => {
    const active = await listActiveWorkflowIds(store, org);
    const activeIds = new Set(active);
    const isPending = ([id, at]: [string, string]): boolean =>
      !activeIds.has(id) && now.getTime() - Date.parse(at) < reservedMs;
    const pending = new Map(parse(current?.data).filter(isPending));
    const isPlaced = (id: string): boolean => activeIds.has(id) || pending.has(id);
    for (reserved = 0; reserved < workflowIds.length; reserved += 1) {
      const id = workflowIds[reserved] ?? '';
      if (isPlaced(id)) continue;
      if (active.length + pending.size >= quota) break;
      pending.set(id, now.toISOString());
    }
    return { data: { reservations: JSON.stringify([...pending]) } };
  };
  await orgQueue(org, async () => await applyObject(store, ConfigMapKind, { ref, build }));
  return reserved;
}

const parse = (data: Record<string, string> | undefined): [string, string][] =>
  JSON.parse(data?.['reservations'] ?? '[]') as [string, string][];

async function listActiveWorkflowIds(store: Store, org: string): Promise<string[]> {
  const found = new Map<string, string>();
  for (const phase of activePhases) {
    const namespace = orgNamespace(org);
    const { items } = await store.list(AgentWorkflowRunKind, { namespace, fields: { 'status.phase': phase } });
    for (const { metadata } of items) found.set(metadata.name, metadata.annotations?.[workflowIdAnnotation] ?? '');
  }
  return [...found.values()];
}
