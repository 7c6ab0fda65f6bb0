import { setTimeout as sleep } from 'node:timers/promises';
import { reconcileAgentWorkflow } from '../../reconcile/reconcile-agent-workflow.ts';
import { reconcileProduct } from '../../reconcile/reconcile-product.ts';
import type { ApiDeps } from '../../../api/deps.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../rules/agents/kinds.ts';
import { OrganizationKind } from '../../rules/orgs/kinds.ts';
import { ProductKind } from '../../rules/products/kinds.ts';
import { DomainKind } from '../../rules/domains/kinds.ts';
import { orgNamespace, type Kind, type StoredObject, systemNamespace } from '../../rules/resource.ts';
import { isReconciled } from '../../rules/conditions.ts';
import { cachedReads } from '../../store/cached-reads.ts';
import { listAndWatch } from '../../store/list-and-watch.ts';

/** The delay between attempts while a dependency is unavailable. */
const retryDelayMs = 2_000;
const maxAttempts = 5;

/**
 * Reconciles resources that were written without the API, such as with kubectl. Every replica reconciles every
 * resource, because reservations, starts and conditions are idempotent and no leader is needed. A resource that was
 * not accepted is reconciled again when something in its org changes.
 */
export function runReconciler(deps: ApiDeps, signal: AbortSignal): Promise<unknown> {
  const products = watchKind(deps, ProductKind, { signal, reconcile: (product) => reconcileProduct(deps, product) });
  const workflows = watchKind(deps, AgentWorkflowKind, {
    signal,
    reconcile: (workflow) => reconcileAgentWorkflow(deps, workflow),
  });
  const dependencies = ([AgentRoleKind, DomainKind, ProductKind] as Kind<StoredObject>[]).map((kind) =>
    watchKind(deps, kind, { signal, reconcile: ({ metadata }) => reconcileNotAccepted(deps, metadata.namespace) }),
  );
  const orgs = watchKind(deps, OrganizationKind, {
    signal,
    reconcile: ({ metadata }) => reconcileNotAccepted(deps, orgNamespace(metadata.name)),
  });
  return Promise.all([products, workflows, orgs, ...dependencies]);
}

async function reconcileNotAccepted(deps: ApiDeps, namespace: string): Promise<void> {
  if (namespace === systemNamespace) return;
  const store = cachedReads(deps.store);
  const { items: products } = await store.list(ProductKind, { namespace });
  for (const product of products.filter((one) => !isReconciled(one))) await reconcileProduct(deps, product);
  const { items: workflows } = await store.list(AgentWorkflowKind, { namespace });
  for (const workflow of workflows.filter((one) => !isReconciled(one))) await reconcileAgentWorkflow(deps, workflow);
}

type KindWatcher<T> = { signal: AbortSignal; reconcile: (object: T) => Promise<void> };

/** Reconciles every object of a kind, then each change, one at a time. */
async function watchKind<T extends StoredObject>(
  { store, log }: ApiDeps,
  kind: Kind<T>,
  { signal, reconcile }: KindWatcher<T>,
): Promise<void> {
  const reconcileWithRetry = async (object: T): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt += 1)
      try {
        return await reconcile(object);
      } catch (error) {
        log.warn({ error: String(error), kind: kind.kind, name: object.metadata.name, attempt }, 'reconcile failed');
        if (attempt === maxAttempts) return;
        await sleep(retryDelayMs, undefined, { signal }).catch(() => undefined);
      }
  };
  while (!signal.aborted) {
    try {
      const list = () => cachedReads(store).list(kind);
      const watch = (resourceVersion: string) => store.watch(kind, { resourceVersion, signal });
      for await (const event of listAndWatch({ signal, list, watch }))
        if (event.type === 'LISTED') for (const item of event.items) await reconcileWithRetry(item);
        else if (event.type !== 'DELETED') await reconcileWithRetry(event.object);
    } catch (error) {
      log.warn({ error: String(error), kind: kind.kind }, 'resync');
    }
    await sleep(retryDelayMs, undefined, { signal }).catch(() => undefined);
  }
}
