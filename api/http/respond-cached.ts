import { hash } from 'node:crypto';
import type { Context, MiddlewareHandler, TypedResponse } from 'hono';
import type { Caller } from '../../src/rules/access/roles.ts';
import { UserKind } from '../../src/rules/access/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiEnv } from '../deps.ts';
import { acceptsEventStream } from './event-stream.ts';
import { hasCurrentCopy, varyHeaders, type Representation } from './representation.ts';

/** Responds to an authorized GET with the cached response for the same URL and role, if it is current. */
export const serveFromCache: MiddlewareHandler<ApiEnv> = async (c, next) => {
  const isCacheable = c.req.method === 'GET' && !acceptsEventStream(c);
  const cached = isCacheable ? c.get('responseCache').find(cacheKey(c)) : undefined;
  return cached ? await respondRepresentation(c, cached.representation) : await next();
};

/** Responds with a view of the store's cached reads, and caches the bytes for the next request. */
export async function respondCached<T>(
  c: Context<ApiEnv>,
  createView: (reads: Store) => Promise<T>,
): Promise<TypedResponse<T, 200, 'json'>> {
  const { representation } = await c.get('responseCache').compute(cacheKey(c), async (reads) => {
    // The response of a caller without an org depends on the User, who may stop being a platform admin.
    if (c.get('role') === undefined)
      await reads.find(UserKind, { namespace: systemNamespace, name: c.get('caller').user });
    return await createView(reads);
  });
  return (await respondRepresentation(c, representation)) as unknown as TypedResponse<T, 200, 'json'>;
}

function cacheKey(c: Context<ApiEnv>): string {
  const role = c.get('role');
  const isShared = role !== undefined && !c.get('isPersonal');
  return `${role} ${isShared ? '' : toPersonalKey(c.get('caller'))} ${c.req.url}`;
}

/** A person loses the groups of a provider when it is deleted or does not answer, without a change of the User. */
const toPersonalKey = ({ user, roleMax, providerGroups = [] }: Caller): string =>
  `${user} ${roleMax} ${hash('sha256', JSON.stringify(providerGroups))}`;

/** Creates the whole response at once, with the default headers, because adding headers to a response is slow. */
export async function respondRepresentation(c: Context<ApiEnv>, representation: Representation): Promise<Response> {
  c.set('hasDefaultHeaders', true);
  const headers = { ...c.get('defaultHeaders'), ...varyHeaders };
  if (hasCurrentCopy(c, representation))
    return new Response(null, { status: 304, headers: { ...headers, ETag: representation.entityTag() } });
  const encoded = await representation.encode(c);
  const content = { 'Content-Type': representation.type, 'Content-Length': String(encoded.body.length) };
  return new Response(encoded.body, { headers: { ...headers, ...content, ...encoded.headers } });
}
