import { AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../src/rules/catalog/kinds.ts';
import { AgentWorkflowRunKind } from '../src/rules/changes/kinds.ts';
import { type IssueEvent, matchTriggers } from '../src/rules/changes/match-triggers.ts';
import { noStartsLeft, type StartsLeft, startsLeft } from '../src/rules/changes/starts-left.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';

export type DeliveryMatch = { agentWorkflow: string; product?: string; starts: boolean; reason?: string };
type Delivery = { org: string; facts: IssueEvent & { repo: string; number: number } };
export type DeliveryDeps = { store: Store; now: () => Date };

export const createDeliveryActivities = ({ store, now }: DeliveryDeps) => ({
  /** What each AgentWorkflow of the org makes of a delivery; only the org's own Products are looked at. */
  matchDelivery: async ({ org, facts }: Delivery): Promise<DeliveryMatch[]> => {
    const namespace = orgNamespace(org);
    const [products, workflows] = await Promise.all([
      store.list(ProductKind, { namespace }),
      store.list(AgentWorkflowKind, { namespace }),
    ]);
    const product = products.items.find(({ spec }) => spec.repos.includes(facts.repo))?.metadata.name;
    const matches = workflows.items.map(({ metadata, spec }) => {
      const match = matchTriggers(spec, facts);
      return {
        agentWorkflow: metadata.name,
        ...(product ? { product } : {}),
        starts: match.starts,
        ...(match.starts ? {} : { reason: match.reason }),
      };
    });
    if (!product || !matches.some(({ starts }) => starts)) return matches;
    return withinHour(matches, await left({ store, now }, { org, facts }));
  },
});

async function left({ store, now }: DeliveryDeps, { org, facts }: Delivery): Promise<StartsLeft> {
  const target = { 'spec.target.repo': facts.repo, 'spec.target.number': String(facts.number) };
  const [runs, organization] = await Promise.all([
    store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields: target }),
    store.find(OrganizationKind, { namespace: systemNamespace, name: org }),
  ]);
  const startedAt = runs.items.map(({ metadata }) => metadata.creationTimestamp);
  return startsLeft(startedAt, now(), organization?.spec.agents?.runsPerTargetAndHour);
}

/** One delivery may start several runs for its target: together no more than are left. */
function withinHour(matches: DeliveryMatch[], { left: remaining, limit }: StartsLeft): DeliveryMatch[] {
  const starting = matches.filter(({ starts }) => starts).slice(0, remaining);
  return matches.map((match) =>
    !match.starts || starting.includes(match) ? match : { ...match, starts: false, reason: noStartsLeft(limit) },
  );
}
