import { unlessGone } from '../src/errors.ts';
import { type AgentWorkflow, AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../src/rules/catalog/kinds.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import { judgeSchedule } from '../src/rules/scheduling/judge-schedule.ts';
import { isRefused } from '../src/rules/taken-up.ts';
import type { Store } from '../src/store/store.ts';

export type SchedulingDeps = { store: Store; now: () => Date };

type ScheduleRef = { org: string; agentWorkflow: string };
export type ReadSchedule = ScheduleRef & {
  /** The time whose runs are being started, and the last Product that has its own. */
  starting?: { due: string; after: string };
};
export type SchedulePlan = {
  /** The clock that the rest was decided by. */
  now: string;
  /** Undefined where nothing is scheduled any more. */
  schedule?: string;
  next?: string;
  /** A time that came due, and the Products that are to have a run for it. */
  start?: { due: string; products: string[]; more: boolean };
};

/** As many runs as one history should begin. */
const startsMax = 500;

export function createSchedulingActivities({ store, now }: SchedulingDeps) {
  const refOf = ({ org, agentWorkflow }: ScheduleRef) => ({ namespace: orgNamespace(org), name: agentWorkflow });

  /** The Products with a repo that come after the one named, in the order of their names. */
  const productsOf = async (org: string, after: string): Promise<string[]> => {
    const { items } = await store.list(ProductKind, { namespace: orgNamespace(org) });
    const able = items.filter(
      (product) => product.spec.repos.length > 0 && product.status?.deletion === undefined && !isRefused(product),
    );
    return able
      .map(({ metadata }) => metadata.name)
      .filter((name) => name > after)
      .toSorted();
  };

  return {
    /** What is to start now and what comes next, by the clock of the moment. */
    readSchedule: async ({ starting, ...ref }: ReadSchedule): Promise<SchedulePlan> => {
      const at = now();
      const [agentWorkflow, organization] = await Promise.all([
        store.find(AgentWorkflowKind, refOf(ref)),
        store.find(OrganizationKind, { namespace: systemNamespace, name: ref.org }),
      ]);
      const verdict = agentWorkflow && organization && judgeSchedule(agentWorkflow, organization, at);
      if (!verdict) return { now: at.toISOString() };
      const { text, next } = verdict;
      const plan = { now: at.toISOString(), schedule: text, ...(next && { next: next.toISOString() }) };
      const due = starting?.due ?? verdict.due?.toISOString();
      if (due === undefined) return plan;
      const products = await productsOf(ref.org, starting?.after ?? '');
      const more = products.length > startsMax;
      return { ...plan, start: { due, products: products.slice(0, startsMax), more } };
    },

    /** Shows people what the schedule is and when it is next; `started` is the time whose runs have all begun. */
    recordSchedule: async ({
      plan: { schedule, next },
      started,
      ...ref
    }: ScheduleRef & { plan: Pick<SchedulePlan, 'schedule' | 'next'>; started?: string }): Promise<void> => {
      const change = ({ status = {} }: AgentWorkflow): AgentWorkflow['status'] => {
        const { schedule: _, nextScheduledAt: __, ...kept } = status;
        return {
          ...kept,
          ...(schedule !== undefined && { schedule }),
          ...(next !== undefined && { nextScheduledAt: next }),
          ...(started !== undefined && { lastScheduledAt: started }),
        };
      };
      // Of one that was deleted nobody is left to be shown anything.
      await store.updateStatus(AgentWorkflowKind, refOf(ref), change).catch(unlessGone);
    },
  };
}
