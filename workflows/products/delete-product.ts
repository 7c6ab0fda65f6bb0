import {
  condition,
  getExternalWorkflowHandle,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { gitopsOptions, storeOptions } from '../activity-options.ts';
import { manageZoneId, manageZoneStart, removeZoneSignal, zoneRemovedSignal } from '../environments/messages.ts';
import { startDetached } from '../start-detached.ts';
import type { DeleteProductInput } from './messages.ts';

const { beginProductDeletion, deleteProductResources } = proxyLocalActivities<Activities>(storeOptions);
const { removeProductChart } = proxyActivities<Activities>(gitopsOptions);

/** Tears down every zone of a Product through the zone's workflow, then deletes the Product; its repos stay. */
export async function deleteProduct({ org, product, by }: DeleteProductInput): Promise<void> {
  const removed = new Set<string>();
  setHandler(zoneRemovedSignal, ({ zone }) => void removed.add(zone));
  const zones = await beginProductDeletion({ org, product });
  for (const zone of zones) {
    await startDetached(manageZoneStart({ org, product, zone }));
    await getExternalWorkflowHandle(manageZoneId({ org, product, zone })).signal(removeZoneSignal, {
      by,
      replyToWorkflowId: workflowInfo().workflowId,
      ignoreUnreachableRepo: true,
    });
  }
  await condition(() => zones.every((zone) => removed.has(zone)));
  await removeProductChart({ org, product });
  await deleteProductResources({ org, product, zones });
}
