import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a secret signed these bytes, in a time that tells nothing of how near a guess came. */
export function signedBy(secret: Uint8Array, body: Uint8Array, given: Uint8Array): boolean {
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given);
}
