import type { Workflow } from '@temporalio/common';
import { deleteProductStart, type DeleteProductInput } from '../../workflows/products/messages.ts';
import { ProductKind } from '../rules/products/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { ReconcileDeps } from './deps.ts';

/**
 * Marks a Product as being deleted and starts the deletion; has no effect when it is already running. The mark is the
 * authorization: the workflow deletes no Product without it, even if another Temporal client starts the workflow.
 */
export async function startProductDeletion(
  { store, temporal }: Pick<ReconcileDeps, 'store' | 'temporal'>,
  input: DeleteProductInput,
): Promise<void> {
  const ref = { namespace: orgNamespace(input.org), name: input.product };
  await store.updateStatus(ProductKind, ref, ({ status }) => ({
    ...status,
    deletionMessage: status?.deletionMessage ?? 'its zones are being removed',
  }));
  const { type, options } = deleteProductStart(input);
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}
