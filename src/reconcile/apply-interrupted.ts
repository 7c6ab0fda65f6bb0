import { AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { isApplyingInterrupted } from '../rules/conditions.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { ProductKind } from '../rules/products/kinds.ts';
import { type Kind, type StoredObject, systemNamespace } from '../rules/resource.ts';
import { findActiveRestore } from '../store/find-active-restore.ts';
import type { ReconcileDeps } from './deps.ts';
import { reconcileAgentWorkflow } from './reconcile-agent-workflow.ts';
import { reconcileOrganization } from './reconcile-organization.ts';
import { reconcileProduct } from './reconcile-product.ts';

/**
 * Applies the accepted specs that a request saved and did not apply, because the process ended or the workflow server was
 * away. The reconciler does so on a cluster.
 */
export async function applyInterrupted(deps: ReconcileDeps): Promise<void> {
  if (await findActiveRestore(deps.store)) return;
  const listInterrupted = async <T extends StoredObject>(kind: Kind<T>, namespace?: string): Promise<T[]> => {
    const { items } = await deps.store.list(kind, namespace === undefined ? {} : { namespace });
    return items.filter((object) => isApplyingInterrupted(object, deps.now()));
  };
  for (const org of await listInterrupted(OrganizationKind, systemNamespace)) await reconcileOrganization(deps, org);
  for (const product of await listInterrupted(ProductKind)) await reconcileProduct(deps, product);
  for (const workflow of await listInterrupted(AgentWorkflowKind)) await reconcileAgentWorkflow(deps, workflow);
}
