import { AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { ProductKind } from '../src/rules/catalog/kinds.ts';
import { type IssueEvent, matchTriggers } from '../src/rules/changes/match-triggers.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';

export type DeliveryMatch = { agentWorkflow: string; product?: string; starts: boolean; reason?: string };

export const createDeliveryActivities = ({ store }: { store: Store }) => ({
  /** What each AgentWorkflow of the org makes of a delivery; only the org's own Products are looked at. */
  matchDelivery: async ({
    org,
    facts,
  }: {
    org: string;
    facts: IssueEvent & { repo: string };
  }): Promise<DeliveryMatch[]> => {
    const namespace = orgNamespace(org);
    const [products, workflows] = await Promise.all([
      store.list(ProductKind, { namespace }),
      store.list(AgentWorkflowKind, { namespace }),
    ]);
    const product = products.items.find(({ spec }) => spec.repos.includes(facts.repo))?.metadata.name;
    return workflows.items.map(({ metadata, spec }) => {
      const match = matchTriggers(spec, facts);
      return {
        agentWorkflow: metadata.name,
        ...(product ? { product } : {}),
        starts: match.starts,
        ...(match.starts ? {} : { reason: match.reason }),
      };
    });
  },
});
