import { createHash, randomUUID } from 'node:crypto';
import type { Context } from 'hono';
import { invalid } from '../src/errors.ts';
import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { ApiEnv } from './deps.ts';

/** What a request to start something is known by: the same for every attempt with the same `Idempotency-Key`. */
export type Request = { id: string; repeatable: boolean };

export function requestOf(c: Context<ApiEnv>, operation: string): Request {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return { id: randomUUID(), repeatable: false };
  if (key.length === 0 || key.length > 200) throw invalid('The header Idempotency-Key must have 1 to 200 characters.');
  // Keys are the caller's own: somebody else's same key is another request.
  const id = createHash('sha256')
    .update(JSON.stringify([operation, c.get('caller').user, key]))
    .digest('hex')
    .slice(0, 32);
  return { id, repeatable: true };
}

export const requestKey = (requestId: string): string => `requests/${requestId}`;

/** Puts a request's text aside, where the workflow finds it; a second text under the same key is refused. */
export async function putAside(blobs: Blobs, requestId: string, text: string): Promise<void> {
  const key = requestKey(requestId);
  const before = await blobs.find(key);
  if (before === undefined) await blobs.put(key, Buffer.from(text));
  else if (Buffer.from(before).toString() !== text)
    throw invalid(
      'The Idempotency-Key was used for a request that said something else. Use a new key for each request.',
    );
}
