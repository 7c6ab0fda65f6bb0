import type { Workflow } from '@temporalio/common';
import { deleteProductStart, type DeleteProductInput } from '../../workflows/products/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import type { ReconcileDeps } from './deps.ts';

/** Starts the deletion of a Product; has no effect when the deletion is already running. */
export async function startProductDeletion(
  { temporal }: Pick<ReconcileDeps, 'temporal'>,
  input: DeleteProductInput,
): Promise<void> {
  const { type, options } = deleteProductStart(input);
  await callWorkflow(temporal, () => temporal.workflow.start<Workflow>(type, options));
}
