import {
  condition,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { gitopsOptions, storeOptions, watchOptions } from '../activity-options.ts';
import { manageZoneId, manageZoneStart, removeZoneSignal, zoneRemovedSignal } from '../environments/messages.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import { startDetached } from '../start-detached.ts';
import type { DeleteProductInput } from './messages.ts';

const local = proxyLocalActivities<Activities>(storeOptions);
const { beginProductDeletion, listProductWork } = local;
const { waitForProductWork, deleteProductResources } = proxyActivities<Activities>(watchOptions);
const { removeProductChart } = proxyActivities<Activities>(gitopsOptions);

/**
 * Cancels the runs and Releases of a Product, tears down every zone through the zone's workflow, then deletes the
 * Product; its repos stay.
 */
export async function deleteProduct({ org, product, by }: DeleteProductInput): Promise<void> {
  const removed = new Set<string>();
  setHandler(zoneRemovedSignal, ({ zone }) => void removed.add(zone));
  const zones = await beginProductDeletion({ org, product });
  if (patched('stop-work')) await stopWork({ org, product });
  for (const zone of zones) await requestRemoval({ org, product, zone }, by);
  await condition(() => zones.every((zone) => removed.has(zone)));
  await removeProductChart({ org, product });
  // The blobs of many runs take longer than a local activity may.
  const deleteResources = patched('long-deletion') ? deleteProductResources : local.deleteProductResources;
  await deleteResources({ org, product, zones });
}

/** Without the Product, a run would wait for a person who can no longer see it, and keep its target. */
async function stopWork(ref: { org: string; product: string }): Promise<void> {
  let isStopping = false;
  for (const workflowId of await listProductWork(ref))
    if (await signalIfRunning(workflowId, async (handle) => await handle.cancel())) isStopping = true;
  if (isStopping) await waitForProductWork(ref);
}

async function requestRemoval(ref: { org: string; product: string; zone: string }, by: string): Promise<void> {
  const removal = { by, replyToWorkflowId: workflowInfo().workflowId };
  const send = async (): Promise<boolean> =>
    await signalIfRunning(manageZoneId(ref), async (handle) => await handle.signal(removeZoneSignal, removal));
  // A workflow whose removal by a person ends at this moment receives nothing, and is started again.
  do await startDetached(manageZoneStart(ref));
  while (!(await send()));
}
