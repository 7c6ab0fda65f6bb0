import { getExternalWorkflowHandle } from '@temporalio/workflow';
import { startDetached } from '../start-detached.ts';
import { type PromotionRequest, enqueueSignal, manageZoneId, manageZoneStart } from './messages.ts';

type ZoneRef = { org: string; product: string; zone: string };

/** Enqueues a Release in a zone; the zone's workflow is started when there is none, and outlives the Release. */
export async function requestPromotion({ org, product, zone }: ZoneRef, request: PromotionRequest): Promise<void> {
  const ref = { org, product, zone };
  await startDetached(manageZoneStart(ref));
  await getExternalWorkflowHandle(manageZoneId(ref)).signal(enqueueSignal, request);
}
