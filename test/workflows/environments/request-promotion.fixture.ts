import { condition } from '@temporalio/workflow';
import { requestPromotion } from '../../../workflows/environments/request-promotion.ts';

/** Requests a promotion and does nothing else. */
export async function requestOnce(...input: Parameters<typeof requestPromotion>): Promise<void> {
  await requestPromotion(...input);
}

/** Handles every other workflow type, such as that of the zone. */
export default async function waitForever(): Promise<void> {
  await condition(() => false);
}
