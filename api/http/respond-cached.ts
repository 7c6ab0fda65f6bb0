import { gzipSync } from 'node:zlib';
import type { Context, MiddlewareHandler, TypedResponse } from 'hono';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiEnv } from '../deps.ts';
import { acceptsEventStream } from './event-stream.ts';
import type { Bytes, CachedResponse } from './response-cache.ts';

/** Below this size compression does not save a network packet. */
const compressionMinBytes = 1_400;

/** Responds to an authorized GET with the cached response for the same URL and role, if it is current. */
export const serveFromCache: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const isCacheable = c.req.method === 'GET' && !acceptsEventStream(c);
  const cached = isCacheable ? c.get('responseCache').find(cacheKey(c)) : undefined;
  return cached ? respondFromCache(c, cached) : await next();
};

/** Responds with a view of the store's cached reads, and caches the bytes for the next request. */
export async function respondCached<T>(
  c: Context<ApiEnv>,
  createView: (reads: Store) => Promise<T>,
): Promise<TypedResponse<T, 200, 'json'>> {
  const { body } = await c.get('responseCache').compute(cacheKey(c), async (reads) => {
    // The response of a caller without an org depends on the User, who may stop being a platform admin.
    if (c.get('role') === undefined)
      await reads.find(UserKind, { namespace: systemNamespace, name: c.get('caller').user });
    return await createView(reads);
  });
  return respondJson(c, body) as unknown as TypedResponse<T, 200, 'json'>;
}

const cacheKey = (c: Context<ApiEnv>): string => `${c.get('role') ?? c.get('caller').user} ${c.req.url}`;

/** Compresses a response when it is requested a second time, because most responses are requested once. */
function respondFromCache(c: Context<ApiEnv>, cached: CachedResponse): Response {
  const acceptsGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  if (!acceptsGzip || cached.body.length < compressionMinBytes) return respondJson(c, cached.body);
  cached.compressed ??= gzipSync(cached.body, { level: 1 });
  return respondJson(c, cached.compressed, { 'Content-Encoding': 'gzip' });
}

function respondJson(c: Context<ApiEnv>, body: Bytes, more: Record<string, string> = {}): Response {
  c.set('hasDefaultHeaders', true);
  const contentHeaders = { 'Content-Type': 'application/json', Vary: 'Accept-Encoding' };
  return new Response(body, { headers: { ...c.get('defaultHeaders'), ...contentHeaders, ...more } });
}
