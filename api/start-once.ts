import { createHash } from 'node:crypto';
import { invalid, isServiceError } from '../src/errors.ts';
import { ConfigMapKind } from '../src/rules/core-kinds.ts';
import { orgNamespace } from '../src/rules/resource.ts';
import type { Store } from '../src/store/store.ts';
import type { Request } from './idempotency.ts';

/** A start as its caller asked for it; `about` is what a second attempt must repeat. */
type Start = { org: string; request: Request; about: object };

/**
 * Starts something that has a name, and remembers which came of the request. An attempt whose answer got lost before
 * it was remembered is found again by `start` itself, as long as what it started goes on.
 */
export async function startOnce(
  store: Store,
  { org, request, about }: Start,
  start: () => Promise<string>,
): Promise<string> {
  if (!request.repeatable) return start();
  const metadata = { namespace: orgNamespace(org), name: `request-${request.id}` };
  const digest = createHash('sha256').update(JSON.stringify(about)).digest('hex');
  const before = await store.find(ConfigMapKind, metadata);
  if (before && before.data?.['digest'] !== digest)
    throw invalid(
      'The Idempotency-Key was used for a request that said something else. Use a new key for each request.',
    );
  const started = before?.data?.['started'];
  if (started !== undefined) return started;
  const name = await start();
  await store.create(ConfigMapKind, { metadata, data: { digest, started: name } }).catch((error: unknown) => {
    // Two attempts at once come to the same end.
    if (!isServiceError(error, 'conflict')) throw error;
  });
  return name;
}
