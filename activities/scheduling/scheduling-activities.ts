import { ignoreNotFound } from '../../src/errors.ts';
import { type AgentWorkflow, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { isDeleting, orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { describeReachedQuota, type Quotas } from '../../src/rules/quotas.ts';
import { judgeSchedule } from '../../src/rules/scheduling/judge-schedule.ts';
import { findActiveRestore } from '../../src/store/find-active-restore.ts';
import { reserveRuns } from '../../src/store/reserve-runs.ts';
import type { Store } from '../../src/store/store.ts';

export type SchedulingDeps = { store: Store; now: () => Date; quotas: Quotas };

type ScheduleRef = { org: string; agentWorkflow: string };
export type ReadScheduleInput = ScheduleRef & {
  /** The due time whose runs are being started, and the last Product whose run has started. */
  pendingStart?: { due: string; after: string };
};
export type SchedulePlan = {
  /** The current time that the other fields are based on. */
  now: string;
  /** Undefined when the AgentWorkflow has no active schedule. */
  schedule?: string;
  next?: string;
  /** Set while a restore is in progress: the schedule may not be complete, and has to be read again after this time. */
  retryAfterMs?: number;
  /** A time that is due, and the Products that need a run for it. */
  start?: {
    due: string;
    products: string[];
    more: boolean;
    /** True when the others wait until runs of the org have finished. */
    isOverQuota?: boolean;
  };
};

const restoreRetryMs = 60_000;

/** Limits the number of runs that one workflow history starts. */
const startsMax = 500;

export function createSchedulingActivities({ store, now, quotas }: SchedulingDeps) {
  const toRef = ({ org, agentWorkflow }: ScheduleRef) => ({ namespace: orgNamespace(org), name: agentWorkflow });

  /** Lists the active Products with a repo whose names sort after the given one. */
  const listProductsAfter = async (org: string, after: string): Promise<string[]> => {
    const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
    const active = items.filter(
      (product) =>
        product.spec.repos.length > 0 && product.status?.deletionMessage === undefined && !isRejected(product),
    );
    return active
      .map(({ metadata }) => metadata.name)
      .filter((name) => name > after)
      .toSorted();
  };

  return {
    /** Returns the runs that are due now and the next scheduled time. */
    readSchedule: async ({ pendingStart, ...ref }: ReadScheduleInput): Promise<SchedulePlan> => {
      const at = now();
      if (await findActiveRestore(store)) return { now: at.toISOString(), retryAfterMs: restoreRetryMs };
      const [agentWorkflow, organization] = await Promise.all([
        store.find(AgentWorkflowKind, toRef(ref)),
        store.find(OrganizationKind, { namespace: systemNamespace, name: ref.org }),
      ]);
      const verdict =
        agentWorkflow && organization && !isDeleting(organization) && judgeSchedule(agentWorkflow, organization, at);
      if (!verdict) return { now: at.toISOString() };
      const { description, nextAt } = verdict;
      const plan = { now: at.toISOString(), schedule: description, ...(nextAt && { next: nextAt.toISOString() }) };
      // A schedule that was paused meanwhile has no next time, and does not start the rest of its runs.
      const due = nextAt && (pendingStart?.due ?? verdict.dueAt?.toISOString());
      if (due === undefined) return plan;
      const products = await listProductsAfter(ref.org, pendingStart?.after ?? '');
      const workflowIds = products
        .slice(0, startsMax)
        .map((product) => runAgentWorkflowId({ ...ref, product, requestId: due }));
      const reserved = await reserveRuns(store, { org: ref.org, quota: quotas.runsPerOrg, workflowIds, now: at });
      const start = { due, products: products.slice(0, reserved), more: reserved < products.length };
      if (reserved === workflowIds.length) return { ...plan, start };
      const reached = describeReachedQuota(quotas, 'runsPerOrg');
      return {
        ...plan,
        schedule: `${description}; the rest of its runs waits, because ${reached}`,
        start: { ...start, isOverQuota: true },
      };
    },

    /** Records the schedule and its next time in the status; `started` is a due time whose runs have all started. */
    recordSchedule: async ({
      plan: { schedule, next },
      started,
      ...ref
    }: ScheduleRef & { plan: Pick<SchedulePlan, 'schedule' | 'next'>; started?: string }): Promise<void> => {
      const toStatus = ({ status = {} }: AgentWorkflow): AgentWorkflow['status'] => {
        const { schedule: _, nextScheduledAt: __, ...rest } = status;
        return {
          ...rest,
          ...(schedule !== undefined && { schedule }),
          ...(next !== undefined && { nextScheduledAt: next }),
          ...(started !== undefined && { lastScheduledAt: started }),
        };
      };
      // A deleted AgentWorkflow has no status to update.
      await store.updateStatus(AgentWorkflowKind, toRef(ref), toStatus).catch(ignoreNotFound);
    },
  };
}
