import { signalIfRunning } from '../signal-if-running.ts';
import { startDetached } from '../start-detached.ts';
import { type PromotionRequest, enqueueSignal, manageZoneId, manageZoneStart } from './messages.ts';

type ZoneRef = { org: string; product: string; zone: string };

/** Enqueues a Release in a zone; the zone's workflow is started when there is none, and outlives the Release. */
export async function requestPromotion({ org, product, zone }: ZoneRef, request: PromotionRequest): Promise<void> {
  const ref = { org, product, zone };
  const send = async (): Promise<boolean> =>
    await signalIfRunning(manageZoneId(ref), async (handle) => await handle.signal(enqueueSignal, request));
  // A workflow that ends at this moment receives nothing, and is started again.
  do await startDetached(manageZoneStart(ref));
  while (!(await send()));
}
