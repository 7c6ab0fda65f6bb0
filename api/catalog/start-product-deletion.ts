import { deleteProductId, type DeleteProductInput } from '../../workflows/catalog/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { ApiDeps } from '../deps.ts';
import { speaking } from '../temporal.ts';

/** Begins to take a Product down; one that is going already goes on. */
export async function startProductDeletion(
  { temporal }: Pick<ApiDeps, 'temporal'>,
  input: DeleteProductInput,
): Promise<void> {
  const { org, product } = input;
  await speaking(temporal, () =>
    temporal.workflow.start('deleteProduct', {
      taskQueue: defaultTaskQueue,
      workflowId: deleteProductId(input),
      workflowIdConflictPolicy: 'USE_EXISTING',
      args: [input],
      staticSummary: `delete Product ${product} of ${org}`,
      typedSearchAttributes: searchAttributes({ org, product, targetKind: 'product' }),
    }),
  );
}
