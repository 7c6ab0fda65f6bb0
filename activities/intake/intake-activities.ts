import { createHash } from 'node:crypto';
import { ignoreNotFound } from '../../src/errors.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { isProductDeleting } from '../../src/rules/products/is-product-deleting.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../src/rules/changes/kinds.ts';
import { startLimitMessage, remainingStarts } from '../../src/rules/changes/start-rate-limit.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { deliveryName } from '../../src/rules/intake/delivery-name.ts';
import { eventName, type CodehostEvent } from '../../src/rules/intake/events.ts';
import { agentWorkflowLabel, DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { ignored, type IgnoredReason } from '../../src/rules/intake/ignored-reasons.ts';
import { matchTriggers } from '../../src/rules/intake/match-triggers.ts';
import { isSameEvent, isSameIssueOpening } from '../../src/rules/intake/duplicate-events.ts';
import { isDeleting, orgNamespace, ownerReference, systemNamespace } from '../../src/rules/resource.ts';
import { describeReachedQuota, type Quotas } from '../../src/rules/quotas.ts';
import { isRejected } from '../../src/rules/conditions.ts';
import { reserveRuns } from '../../src/store/reserve-runs.ts';
import type { Store } from '../../src/store/store.ts';
import type { RoutingResult } from '../../workflows/intake/messages.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';
import { getOrCreate } from '../get-or-create.ts';

export type DeliveryMatch = {
  agentWorkflow: string;
  product?: string;
  /** The spelling of the Product's spec, because the code host ignores letter case and may send another one. */
  repo?: string;
  starts: boolean;
  reason?: IgnoredReason;
  message?: string;
};
type MatchDeliveryInput = { org: string; facts: CodehostEvent };
type RecordDeliveryInput = MatchDeliveryInput & {
  deliveryId: string;
  /** The workflow that routed the delivery; its id makes the names of the records stable. */
  workflowId: string;
  at: string;
  routed: RoutingResult[];
};
export type IntakeDeps = { store: Store; now: () => Date; quotas: Quotas };

/** Keeps enough records per AgentWorkflow to explain why a recent event started nothing. */
const deliveriesMax = 200;
/** An event without a record counts as missed, so the records of a burst are kept until its events are not listed again. */
const keptMs = 60 * 60_000;

export const createIntakeActivities = ({ store, now, quotas }: IntakeDeps) => ({
  /** Matches a delivery against the triggers of the org's AgentWorkflows and the repos of its Products. */
  matchDelivery: async ({ org, facts }: MatchDeliveryInput): Promise<DeliveryMatch[]> => {
    await assertNoActiveRestore(store);
    const namespace = orgNamespace(org);
    const organization = await store.find(OrganizationKind, { namespace: systemNamespace, name: org });
    if (organization && isDeleting(organization)) return [];
    const { items } = await store.list(AgentWorkflowKind, { namespace });
    const matches = items.flatMap((workflow): DeliveryMatch[] => {
      const match = matchTriggers(workflow.spec, facts);
      if (!match) return [];
      const rejected = match.starts && isRejected(workflow) && { starts: false, ...ignored('workflow-rejected') };
      return [{ agentWorkflow: workflow.metadata.name, ...(rejected || match) }];
    });
    if (matches.length === 0) return [];
    const product = await findProductByRepo(store, namespace, facts.repo);
    if (!product) return matches.map((match) => ({ ...match, starts: false, ...ignored('product-not-found') }));
    const productMatches = matches.map((match) => ({ ...match, ...product }));
    if (!matches.some(({ starts }) => starts)) return productMatches;
    return await applyStartLimits(
      { store, now, quotas },
      { org, facts: { ...facts, repo: product.repo } },
      productMatches,
    );
  },

  /** Records the result of a delivery for each AgentWorkflow, and deletes old records over the limit. */
  recordDelivery: async ({ org, deliveryId, workflowId, facts, at, routed }: RecordDeliveryInput): Promise<void> => {
    const namespace = orgNamespace(org);
    const label = facts.event === 'issues' && facts.label !== undefined ? { label: facts.label } : {};
    const { repo, number } = facts;
    const id = createHash('sha256').update(workflowId).digest('hex').slice(0, 12);
    for (const result of routed) {
      const owner = await store.find(AgentWorkflowKind, { namespace, name: result.agentWorkflow });
      if (!owner) continue;
      await getOrCreate(store, DeliveryKind, {
        metadata: {
          namespace,
          name: deliveryName({ agentWorkflow: result.agentWorkflow, at: new Date(at), id }),
          labels: { [agentWorkflowLabel]: result.agentWorkflow },
          ownerReferences: [ownerReference(owner)],
        },
        spec: { deliveryId, event: eventName(facts), repo, number, ...label, at, ...result },
      });
      await deleteOldDeliveries({ store, now }, namespace, result.agentWorkflow);
    }
  },
});

async function findProductByRepo(
  store: Store,
  namespace: string,
  repo: string,
): Promise<{ product: string; repo: string } | undefined> {
  const { items } = await store.list(ProductKind, { namespace });
  for (const { metadata, spec } of items.filter((one) => !isRejected(one) && !isProductDeleting(one))) {
    const listed = spec.repos.find((candidate) => candidate.toLowerCase() === repo.toLowerCase());
    if (listed !== undefined) return { product: metadata.name, repo: listed };
  }
  return undefined;
}

/** An event starts an AgentWorkflow once, and the org limits the runs per target and hour. */
async function applyStartLimits(
  { store, now, quotas }: IntakeDeps,
  { org, facts }: MatchDeliveryInput,
  matches: DeliveryMatch[],
): Promise<DeliveryMatch[]> {
  const target = { 'spec.target.repo': facts.repo, 'spec.target.number': String(facts.number) };
  const [{ items: runs }, organization] = await Promise.all([
    store.list(AgentWorkflowRunKind, { namespace: orgNamespace(org), fields: target }),
    store.find(OrganizationKind, { namespace: systemNamespace, name: org }),
  ]);
  const startedAt = runs.map(({ metadata }) => metadata.creationTimestamp);
  const { remaining, limit } = remainingStarts(startedAt, now(), organization?.spec.agents?.runsPerTargetPerHour);
  const fresh = matches.map((match) => rejectDuplicate(match, facts, runs));
  // One delivery may start several runs for its target, which count against the same limit.
  const allowed = fresh.filter(({ starts }) => starts).slice(0, remaining);
  const { repo, number } = facts;
  const workflowIds = allowed.map(({ agentWorkflow, product = '' }) =>
    runAgentWorkflowId({ org, agentWorkflow, product, target: { repo, number } }),
  );
  const reserved = await reserveRuns(store, { org, quota: quotas.runsPerOrg, workflowIds, now: now() });
  const starting = allowed.slice(0, reserved);
  const reached =
    reserved === allowed.length
      ? ignored('start-limit-reached', startLimitMessage(limit))
      : ignored('quota-reached', describeReachedQuota(quotas, 'runsPerOrg'));
  return fresh.map((match) =>
    !match.starts || starting.includes(match) ? match : { ...match, starts: false, ...reached },
  );
}

function rejectDuplicate(match: DeliveryMatch, facts: CodehostEvent, runs: AgentWorkflowRun[]): DeliveryMatch {
  const own = runs.find(({ spec }) => spec.agentWorkflow === match.agentWorkflow && isSameEvent(facts, spec.cause));
  const rejectAs = (message: string): DeliveryMatch => ({
    ...match,
    starts: false,
    ...ignored('event-already-handled', message),
  });
  if (match.starts && own) return rejectAs(`the event already started ${own.metadata.name}`);
  const duplicate = runs.find(
    ({ spec }) => spec.agentWorkflow === match.agentWorkflow && isSameIssueOpening(facts, spec.cause),
  );
  if (!match.starts || !duplicate) return match;
  return rejectAs(`the opening of the issue already started ${duplicate.metadata.name}`);
}

async function deleteOldDeliveries(
  { store, now }: Pick<IntakeDeps, 'store' | 'now'>,
  namespace: string,
  agentWorkflow: string,
): Promise<void> {
  const labels = { [agentWorkflowLabel]: agentWorkflow };
  const newest = await store.list(DeliveryKind, { namespace, labels, limit: deliveriesMax });
  if (newest.continue === undefined) return;
  const { items } = await store.list(DeliveryKind, { namespace, labels, limit: 100, continue: newest.continue });
  const keptSince = now().getTime() - keptMs;
  for (const { metadata } of items.filter(({ spec }) => Date.parse(spec.at) < keptSince)) {
    // Another delivery may have deleted the record at the same time.
    await store.delete(DeliveryKind, metadata).catch(ignoreNotFound);
  }
}
