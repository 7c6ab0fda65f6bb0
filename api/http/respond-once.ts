import { createHash, hash } from 'node:crypto';
import type { Context, Handler } from 'hono';
import { ignoreNotFound, isServiceError, ServiceError } from '../../src/errors.ts';
import { ConfigMapKind, type ConfigMap } from '../../src/kinds/kubernetes.ts';
import { requestLabels } from '../../src/rules/expiry.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Ref } from '../../src/store/store.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { getOrganization } from '../orgs/org.ts';
import { keyReused, readIdempotencyKey } from '../temporal/idempotency.ts';
import { openResponse, sealResponse } from './sealed-response.ts';

/** After this time, the process that claimed a request has failed, and a retry may take over. */
const claimTtlMs = 60_000;

type RequestRecord = { ref: Ref; digest: string };

/**
 * Makes a handler respond to a repeated `Idempotency-Key` with the response to the first request, marked as replayed.
 * A request that failed may be repeated with its key. Only the caller's own token or session can read the response.
 */
export function respondOnce(deps: ApiDeps, handler: Handler<ApiEnv>): Handler<ApiEnv> {
  const running = new Map<string, Promise<unknown>>();
  return async (c, next) => {
    const key = readIdempotencyKey(c);
    const handle = async (): Promise<Response> => (await handler(c, next)) as Response;
    if (key === undefined) return await handle();
    const record = identify(c, key);
    // The record would otherwise be kept in a namespace that does not exist.
    const org = c.req.param('org');
    if (org !== undefined) await getOrganization(deps.store, org);
    // Concurrent requests at this process wait for the response to the first of them.
    for (let first = running.get(record.ref.name); first; first = running.get(record.ref.name))
      await first.catch(() => undefined);
    const response = replay(c, deps, record).then(
      async (found) => found ?? (await handleClaimed(c, deps, { record, handle })),
    );
    running.set(record.ref.name, response);
    try {
      return await response;
    } finally {
      running.delete(record.ref.name);
    }
  };
}

/** Another caller, or another path, has a record of its own for the same key. */
function identify(c: Context<ApiEnv>, key: string): RequestRecord {
  const org = c.req.param('org');
  const id = hash('sha256', JSON.stringify([c.req.method, c.req.path, c.get('caller').user, key]));
  const content = [c.req.valid('query' as never), c.req.valid('json' as never)];
  return {
    ref: { namespace: org === undefined ? systemNamespace : orgNamespace(org), name: `request-${id.slice(0, 40)}` },
    digest: createHash('sha256').update(JSON.stringify(content)).digest('hex'),
  };
}

/** Returns undefined when no response is stored, and no other process works on the request. */
async function replay(
  c: Context<ApiEnv>,
  { store, now, isOnlyProcess = false }: ApiDeps,
  { ref, digest }: RequestRecord,
): Promise<Response | undefined> {
  const stored = await store.find(ConfigMapKind, ref);
  if (!stored) return undefined;
  if (stored.data?.['digest'] !== digest) throw keyReused();
  const sealed = stored.data['response'];
  if (sealed !== undefined) return openResponse(sealed, c.get('token'), ref.name);
  const age = now().getTime() - Date.parse(stored.data['claimedAt'] ?? '');
  if (isOnlyProcess || age > claimTtlMs) {
    await store.delete(ConfigMapKind, ref, { resourceVersion: stored.metadata.resourceVersion }).catch(ignoreNotFound);
    return undefined;
  }
  throw inProgress();
}

function ignoreReplaced(error: unknown): void {
  if (!isServiceError(error, 'not-found') && !isServiceError(error, 'conflict')) throw error;
}

const inProgress = (): ServiceError =>
  new ServiceError(
    'request-in-progress',
    'A request with this Idempotency-Key is still in progress. Repeat it in a moment.',
    { retryAfterMs: 1_000 },
  );

type ClaimedRequest = { record: RequestRecord; handle: () => Promise<Response> };

async function handleClaimed(
  c: Context<ApiEnv>,
  { store, now, log }: ApiDeps,
  { record: { ref, digest }, handle }: ClaimedRequest,
): Promise<Response> {
  const metadata = { ...ref, labels: requestLabels };
  const claim = await store
    .create(ConfigMapKind, { metadata, data: { digest, claimedAt: now().toISOString() } })
    .catch((error: unknown) => {
      throw isServiceError(error, 'conflict') ? inProgress() : error;
    });
  const response = await handle().catch(async (error: unknown) => {
    // A retry that has taken over keeps its record.
    const { resourceVersion } = claim.metadata;
    await store.delete(ConfigMapKind, ref, { resourceVersion }).catch(ignoreReplaced);
    throw error;
  });
  await storeResponse(claim, response.clone()).catch((error: unknown) => {
    log.warn({ requestId: c.get('requestId'), error: String(error) }, 'Failed to store the response to a request');
  });
  return response;

  async function storeResponse(claimed: ConfigMap, copy: Response): Promise<void> {
    const sealed = await sealResponse(copy, c.get('token'), ref.name);
    await store.replace(ConfigMapKind, { ...claimed, data: { digest, response: sealed } });
  }
}
