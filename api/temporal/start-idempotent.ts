import { createHash } from 'node:crypto';
import { isServiceError } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { requestLabels } from '../../src/rules/expiry.ts';
import type { Store } from '../../src/store/store.ts';
import { keyReused, type RequestIdentity } from './idempotency.ts';

/** A start on behalf of a request; a repeated request has to carry an equal payload. */
type IdempotentStart = { org: string; request: RequestIdentity; payload: object };

/**
 * Starts something that has a name, and stores the name for repeated requests. When an earlier attempt failed before
 * its name was stored, `start` itself finds what that attempt started.
 */
export async function startIdempotent(
  store: Store,
  { org, request, payload }: IdempotentStart,
  start: () => Promise<string>,
): Promise<string> {
  if (!request.hasIdempotencyKey) return start();
  const metadata = { namespace: orgNamespace(org), name: `request-${request.id}` };
  const digest = createHash('sha256').update(JSON.stringify(payload)).digest('hex');
  const stored = await store.find(ConfigMapKind, metadata);
  if (stored && stored.data?.['digest'] !== digest) throw keyReused();
  const started = stored?.data?.['started'];
  if (started !== undefined) return started;
  const name = await start();
  const labels = requestLabels;
  await store
    .create(ConfigMapKind, { metadata: { ...metadata, labels }, data: { digest, started: name } })
    .catch((error: unknown) => {
      // Concurrent attempts start the same thing, so the name that was stored first is equal.
      if (!isServiceError(error, 'conflict')) throw error;
    });
  return name;
}
