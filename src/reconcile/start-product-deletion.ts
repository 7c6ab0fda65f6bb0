import type { Workflow } from '@temporalio/common';
import { deleteProductStart, type DeleteProductInput } from '../../workflows/products/messages.ts';
import { type Product, ProductKind } from '../rules/products/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { ReconcileDeps } from './deps.ts';
import { wakeSloLoops } from './wake-slo-loops.ts';

/**
 * Marks a Product as being deleted and starts the deletion; has no effect when it is already running. The mark is the
 * authorization: the workflow deletes no Product without it, even if another Temporal client starts the workflow. With a
 * uid, a Product of the same name that was created since is left alone. Returns the Product.
 */
export async function startProductDeletion(
  { store, temporal }: Pick<ReconcileDeps, 'store' | 'temporal'>,
  { uid, ...input }: DeleteProductInput & { uid?: string },
): Promise<Product> {
  const ref = { namespace: orgNamespace(input.org), name: input.product };
  const marked = await store.updateStatus(ProductKind, ref, (current) => {
    const isOther = uid !== undefined && current.metadata.uid !== uid;
    if (isOther || current.status?.deletionMessage !== undefined) return undefined;
    return { ...current.status, deletionMessage: 'its zones are being removed', deletedBy: input.by };
  });
  if (uid !== undefined && marked.metadata.uid !== uid) return marked;
  const { type, options } = deleteProductStart({ ...input, by: marked.status?.deletedBy ?? input.by });
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
  // The alert rules go before the pods, or the deletion would look like an outage.
  await wakeSloLoops({ temporal }, marked);
  return marked;
}
