import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Whether a secret signed these bytes, in a time that tells nothing of how near a guess came. */
export function signedBy(secret: KeyObject, body: Uint8Array, given: Uint8Array): boolean {
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given);
}
