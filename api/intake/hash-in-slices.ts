import type { Hash, Hmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Hashing this many bytes does not delay other requests noticeably. */
export const inlineHashBytesMax = 256 * 1024;

/** Hashes a large body in slices, so that other requests run in between. */
export async function hashInSlices(hashes: readonly (Hash | Hmac)[], body: Buffer): Promise<void> {
  for (let from = 0; from < body.length; from += inlineHashBytesMax) {
    for (const hash of hashes) hash.update(body.subarray(from, from + inlineHashBytesMax));
    if (body.length > inlineHashBytesMax) await nextTurn();
  }
}
