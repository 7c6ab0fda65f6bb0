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
import { proxyWaits } from '../proxy-waits.ts';
import { signalIfRunning } from '../signal-if-running.ts';
import { startDetached } from '../start-detached.ts';
import type { DeleteProductInput } from './messages.ts';

const local = proxyLocalActivities<Activities>(storeOptions);
const long = proxyActivities<Activities>(watchOptions);
const { beginProductDeletion } = local;
const { removeProductChart } = proxyActivities<Activities>(gitopsOptions);

/**
 * Cancels the runs and Releases of a Product, tears down every zone through the zone's workflow, then deletes the
 * Product; its repos stay.
 */
export async function deleteProduct({ org, product, by }: DeleteProductInput): Promise<void> {
  const removed = new Set<string>();
  setHandler(zoneRemovedSignal, ({ zone }) => void removed.add(zone));
  const zones = await beginProductDeletion({ org, product });
  // Many runs take longer to list than a local activity may, and to delete with their blobs.
  const { listProductWork, deleteProductResources } = patched('long-deletion') ? long : local;
  if (patched('stop-work')) await stopWork({ org, product }, await listProductWork({ org, product }));
  for (const zone of zones) await requestRemoval({ org, product, zone }, by);
  await condition(() => zones.every((zone) => removed.has(zone)));
  await removeProductChart({ org, product });
  await deleteProductResources({ org, product, zones });
}

/** Without the Product, a run would wait for a person who can no longer see it, and keep its target. */
async function stopWork(ref: { org: string; product: string }, workflowIds: string[]): Promise<void> {
  let isStopping = false;
  for (const workflowId of workflowIds)
    if (await signalIfRunning(workflowId, async (handle) => await handle.cancel())) isStopping = true;
  if (isStopping) await proxyWaits().waitForProductWork(ref);
}

async function requestRemoval(ref: { org: string; product: string; zone: string }, by: string): Promise<void> {
  const removal = { by, replyToWorkflowId: workflowInfo().workflowId };
  const send = async (): Promise<boolean> =>
    await signalIfRunning(manageZoneId(ref), async (handle) => await handle.signal(removeZoneSignal, removal));
  // A workflow whose removal by a person ends at this moment receives nothing, and is started again.
  do await startDetached(manageZoneStart(ref));
  while (!(await send()));
}
