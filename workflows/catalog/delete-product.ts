import {
  condition,
  getExternalWorkflowHandle,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { gitops, store } from '../activity-options.ts';
import { ensureKeeper } from '../environments/bring-to-zone.ts';
import { keepEnvironmentId, remove, zoneRemoved } from '../environments/messages.ts';
import type { DeleteProductInput } from './messages.ts';

const { beginProductDeletion, forgetProduct } = proxyLocalActivities<Activities>(store);
const { removeProductChart } = proxyActivities<Activities>(gitops);

/** Takes every environment of a Product down through its keeper, then the Product itself; its repos stay. */
export async function deleteProduct({ org, product, by }: DeleteProductInput): Promise<void> {
  const removed = new Set<string>();
  setHandler(zoneRemoved, ({ zone }) => void removed.add(zone));
  const zones = await beginProductDeletion({ org, product });
  for (const zone of zones) {
    await ensureKeeper({ org, product, zone });
    await getExternalWorkflowHandle(keepEnvironmentId({ org, product, zone })).signal(remove, {
      by,
      tell: workflowInfo().workflowId,
      filesMayStay: true,
    });
  }
  await condition(() => zones.every((zone) => removed.has(zone)));
  if (patched('product-chart')) await removeProductChart({ org, product });
  await forgetProduct({ org, product, zones });
}
