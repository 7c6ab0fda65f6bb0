import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Compares in constant time, so that the response time reveals nothing about the expected signature. */
export function hasValidSignature(secret: KeyObject, body: Uint8Array, digest: Uint8Array): boolean {
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), digest);
}
