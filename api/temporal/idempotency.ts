import { createHash, randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { invalid, ServiceError } from '../../src/errors.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import type { ApiEnv } from '../deps.ts';

/** Identifies a request that starts something; every attempt with the same `Idempotency-Key` has the same id. */
export type RequestIdentity = { id: string; hasIdempotencyKey: boolean };

export function identifyRequest(c: Context<ApiEnv>, operation: string): RequestIdentity {
  const key = readIdempotencyKey(c);
  if (key === undefined) return { id: randomUUID(), hasIdempotencyKey: false };
  // The id includes the caller, so the same key of another user identifies another request.
  const id = createHash('sha256')
    .update(JSON.stringify([operation, c.get('caller').user, key]))
    .digest('hex')
    .slice(0, 32);
  return { id, hasIdempotencyKey: true };
}

export function readIdempotencyKey(c: Context): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key !== undefined && (key.length === 0 || key.length > 200))
    throw invalid(`The header Idempotency-Key has ${key.length} characters. Send 1 to 200 characters.`);
  return key;
}

export const requestBlobPrefix = 'requests/';
export const requestBlobKey = (requestId: string): string => `${requestBlobPrefix}${requestId}`;

/** Saves the text of a request to the blob that its workflow reads; throws when the key was used for another text. */
export async function stashPayload(blobs: Blobs, requestId: string, text: string): Promise<void> {
  const key = requestBlobKey(requestId);
  const stored = await blobs.find(key);
  if (stored === undefined) await blobs.put(key, Buffer.from(text));
  else if (Buffer.from(stored).toString() !== text) throw keyReused();
}

export const keyReused = (): ServiceError =>
  new ServiceError(
    'idempotency-key-reused',
    'The Idempotency-Key was used for a different request. Use a new key for each request.',
  );
