import { setTimeout as sleep } from 'node:timers/promises';
import { takeUpAgentWorkflow } from '../../api/agents/take-up-agent-workflow.ts';
import { takeUpProduct } from '../../api/catalog/take-up-product.ts';
import type { ApiDeps } from '../../api/deps.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../rules/catalog/kinds.ts';
import { DomainKind } from '../rules/domains/kinds.ts';
import { orgNamespace, type Kind, type StoredObject, systemNamespace } from '../rules/resource.ts';
import { isTakenUp } from '../rules/taken-up.ts';
import { lastHeard } from '../store/last-heard.ts';

/** Between tries, while something it takes is away. */
const againMs = 2_000;

/**
 * Takes up what people write into the store without the API, such as with kubectl. Every replica sees it, and each does
 * all of it: claims, starts and conditions are the same however often they are made, so that nobody has to be the one.
 * What was refused is looked at again whenever something of its org changes that it may have been refused for.
 */
export function takeUp(deps: ApiDeps, signal: AbortSignal): Promise<unknown> {
  const products = follow(deps, ProductKind, { signal, see: (product) => takeUpProduct(deps, product) });
  const workflows = follow(deps, AgentWorkflowKind, { signal, see: (found) => takeUpAgentWorkflow(deps, found) });
  const others = ([AgentRoleKind, DomainKind, ProductKind] as Kind<StoredObject>[]).map((kind) =>
    follow(deps, kind, { signal, see: ({ metadata }) => lookAgain(deps, metadata.namespace) }),
  );
  const orgs = follow(deps, OrganizationKind, {
    signal,
    see: ({ metadata }) => lookAgain(deps, orgNamespace(metadata.name)),
  });
  return Promise.all([products, workflows, orgs, ...others]);
}

async function lookAgain(deps: ApiDeps, namespace: string): Promise<void> {
  if (namespace === systemNamespace) return;
  const heard = lastHeard(deps.store);
  const { items: products } = await heard.list(ProductKind, { namespace });
  for (const product of products.filter((one) => !isTakenUp(one))) await takeUpProduct(deps, product);
  const { items: workflows } = await heard.list(AgentWorkflowKind, { namespace });
  for (const workflow of workflows.filter((one) => !isTakenUp(one))) await takeUpAgentWorkflow(deps, workflow);
}

type Follower<T> = { signal: AbortSignal; see: (object: T) => Promise<void> };

/** Sees every object of a kind as it is and as it changes, one after the other. */
async function follow<T extends StoredObject>(
  { store, log }: ApiDeps,
  kind: Kind<T>,
  { signal, see }: Follower<T>,
): Promise<void> {
  const surely = async (object: T): Promise<void> => {
    for (let tries = 1; !signal.aborted; tries += 1)
      try {
        return await see(object);
      } catch (error) {
        log.warn({ error: String(error), kind: kind.kind, name: object.metadata.name, tries }, 'Not taken up yet');
        if (tries === 5) return;
        await sleep(againMs, undefined, { signal }).catch(() => undefined);
      }
  };
  while (!signal.aborted) {
    try {
      const { items, resourceVersion } = await lastHeard(store).list(kind);
      for (const item of items) await surely(item);
      for await (const { type, object } of store.watch(kind, { resourceVersion, signal }))
        if (type !== 'DELETED') await surely(object);
    } catch (error) {
      // Too far back, or the store is away: begin again with what is there.
      log.warn({ error: String(error), kind: kind.kind }, 'Looking again at all there is to take up');
      await sleep(againMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
