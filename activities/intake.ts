import { createHash } from 'node:crypto';
import { unlessGone } from '../src/errors.ts';
import { AgentWorkflowKind } from '../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../src/rules/catalog/kinds.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../src/rules/changes/kinds.ts';
import { noStartsLeft, startsLeft } from '../src/rules/changes/starts-left.ts';
import { deliveryName } from '../src/rules/intake/delivery-name.ts';
import { eventName, type SourceEvent } from '../src/rules/intake/events.ts';
import { agentWorkflowLabel, DeliveryKind } from '../src/rules/intake/kinds.ts';
import { matchTriggers } from '../src/rules/intake/match-triggers.ts';
import { isSameEvent, isSameOpening } from '../src/rules/intake/same-opening.ts';
import { orgNamespace, ownerReference, systemNamespace } from '../src/rules/resource.ts';
import { isRefused } from '../src/rules/taken-up.ts';
import type { Store } from '../src/store/store.ts';
import { createOrGet } from './create-or-get.ts';

export type DeliveryMatch = {
  agentWorkflow: string;
  product?: string;
  /** As the Product writes it: the code host takes any letter case, and may tell another. */
  repo?: string;
  starts: boolean;
  reason?: string;
};
type Delivery = { org: string; facts: SourceEvent };
type RoutedDelivery = Delivery & {
  delivery: string;
  /** The workflow that routed it, which is one for each delivery. */
  routing: string;
  at: string;
  routed: { agentWorkflow: string; run?: string; reason?: string }[];
};
export type IntakeDeps = { store: Store; now: () => Date };

/** How many records each AgentWorkflow keeps: enough to see why nothing started lately. */
const deliveriesKept = 200;

export const createIntakeActivities = ({ store, now }: IntakeDeps) => ({
  /** What each AgentWorkflow with a trigger for it makes of a delivery; only the org's own Products are looked at. */
  matchDelivery: async ({ org, facts }: Delivery): Promise<DeliveryMatch[]> => {
    const namespace = orgNamespace(org);
    const workflows = await store.list(AgentWorkflowKind, { namespace });
    const matches = workflows.items.flatMap(({ metadata, spec }): DeliveryMatch[] => {
      const match = matchTriggers(spec, facts);
      return match ? [{ agentWorkflow: metadata.name, ...match }] : [];
    });
    if (matches.length === 0) return [];
    const found = await productWith(store, namespace, facts.repo);
    if (!found) return matches.map((match) => ({ ...match, starts: false, reason: noProduct }));
    const ofProduct = matches.map((match) => ({ ...match, ...found }));
    if (!matches.some(({ starts }) => starts)) return ofProduct;
    return await withoutTooMany({ store, now }, { org, facts: { ...facts, repo: found.repo } }, ofProduct);
  },

  /** Notes what became of a delivery; the oldest notes make room. */
  recordDelivery: async ({ org, delivery, routing, facts, at, routed }: RoutedDelivery): Promise<void> => {
    const namespace = orgNamespace(org);
    const label = facts.event === 'issues' && facts.label !== undefined ? { label: facts.label } : {};
    const { repo, number } = facts;
    const id = createHash('sha256').update(routing).digest('hex').slice(0, 12);
    for (const one of routed) {
      const owner = await store.find(AgentWorkflowKind, { namespace, name: one.agentWorkflow });
      if (!owner) continue;
      await createOrGet(store, DeliveryKind, {
        metadata: {
          namespace,
          name: deliveryName({ agentWorkflow: one.agentWorkflow, at: new Date(at), id }),
          labels: { [agentWorkflowLabel]: one.agentWorkflow },
          ownerReferences: [ownerReference(owner)],
        },
        spec: { delivery, event: eventName(facts), repo, number, ...label, at, ...one },
      });
      await forgetOldest(store, namespace, one.agentWorkflow);
    }
  },
});

const noProduct = 'no Product lists this repo';

async function productWith(
  store: Store,
  namespace: string,
  repo: string,
): Promise<{ product: string; repo: string } | undefined> {
  const { items } = await store.list(ProductKind, { namespace });
  for (const { metadata, spec } of items.filter((product) => !isRefused(product))) {
    const listed = spec.repos.find((candidate) => candidate.toLowerCase() === repo.toLowerCase());
    if (listed !== undefined) return { product: metadata.name, repo: listed };
  }
  return undefined;
}

/** One opening of an issue starts one run, and one target no more of them within an hour than the org allows. */
async function withoutTooMany(
  { store, now }: IntakeDeps,
  { org, facts }: Delivery,
  matches: DeliveryMatch[],
): Promise<DeliveryMatch[]> {
  const target = { 'spec.target.repo': facts.repo, 'spec.target.number': String(facts.number) };
  const [{ items: runs }, organization] = await Promise.all([
    store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields: target }),
    store.find(OrganizationKind, { namespace: systemNamespace, name: org }),
  ]);
  const startedAt = runs.map(({ metadata }) => metadata.creationTimestamp);
  const { left, limit } = startsLeft(startedAt, now(), organization?.spec.agents?.runsPerTargetAndHour);
  const fresh = matches.map((match) => withoutTwin(match, facts, runs));
  // One delivery may start several runs for its target: together no more than are left.
  const starting = fresh.filter(({ starts }) => starts).slice(0, left);
  return fresh.map((match) =>
    !match.starts || starting.includes(match) ? match : { ...match, starts: false, reason: noStartsLeft(limit) },
  );
}

function withoutTwin(match: DeliveryMatch, facts: SourceEvent, runs: AgentWorkflowRun[]): DeliveryMatch {
  const own = runs.find(({ spec }) => spec.agentWorkflow === match.agentWorkflow && isSameEvent(facts, spec.cause));
  if (match.starts && own) return { ...match, starts: false, reason: `it started ${own.metadata.name} already` };
  const twin = runs.find(({ spec }) => spec.agentWorkflow === match.agentWorkflow && isSameOpening(facts, spec.cause));
  if (!match.starts || !twin) return match;
  return { ...match, starts: false, reason: `the opening of the issue started ${twin.metadata.name} already` };
}

async function forgetOldest(store: Store, namespace: string, agentWorkflow: string): Promise<void> {
  const labels = { [agentWorkflowLabel]: agentWorkflow };
  const newest = await store.list(DeliveryKind, { namespace, labels, limit: deliveriesKept });
  if (newest.continue === undefined) return;
  const { items } = await store.list(DeliveryKind, { namespace, labels, limit: 100, continue: newest.continue });
  for (const { metadata } of items) {
    // Another delivery may have made room at the same time.
    await store.delete(DeliveryKind, metadata).catch(unlessGone);
  }
}
