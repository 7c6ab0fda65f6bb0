import type { Context } from 'hono';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { ApiEnv } from '../deps.ts';
import { hasCurrentCopy, type Representation, varyHeaders } from '../http/representation.ts';
import type { ProductName } from './read-status-page.ts';
import type { CachedPage, StatusPageCache } from './status-page-cache.ts';

/** Shared caches may serve a public page for a moment; a page for signed-in people depends on the caller. */
const publicCache = { 'Cache-Control': 'public, max-age=5' };

/** Returns the page that the caller may read. An unpublished page and a Product that does not exist look the same. */
export async function getReadablePage(
  c: Context<ApiEnv>,
  cache: StatusPageCache,
  name: ProductName | undefined,
): Promise<CachedPage> {
  const page = name && (await findPage(cache, name));
  if (page && (page.isPublic || (await isSignedIn(c)))) return page;
  throw new ServiceError(
    'not-found',
    'There is no status page at this address, or only people who signed in can read it.',
  );
}

async function findPage(cache: StatusPageCache, name: ProductName): Promise<CachedPage | undefined> {
  try {
    return await cache.find(name);
  } catch {
    // The cause names systems behind the service, which is nothing for a public page.
    throw new ServiceError('unavailable', 'The status page cannot be read at the moment. Try again.', {
      retryAfterMs: 5_000,
    });
  }
}

/** A caller whose credentials are refused is a stranger; a public page needs none. */
async function isSignedIn(c: Context<ApiEnv>): Promise<boolean> {
  try {
    await c.get('authenticator').authenticate(c);
    return true;
  } catch (error) {
    if (isServiceError(error, 'not-signed-in') || isServiceError(error, 'forbidden')) return false;
    throw error;
  }
}

/** Creates the whole response at once, with the default headers, because adding headers to a response is slow. */
export async function respondStatusPage(
  c: Context<ApiEnv>,
  representation: Representation,
  { isPublic, headers: own = {} }: { isPublic: boolean; headers?: Record<string, string> },
): Promise<Response> {
  c.set('hasDefaultHeaders', true);
  const vary = isPublic ? varyHeaders : { Vary: `${varyHeaders.Vary}, Authorization, Cookie` };
  const headers = { ...c.get('defaultHeaders'), ...vary, ...(isPublic && publicCache), ...own };
  if (hasCurrentCopy(c, representation))
    return new Response(null, { status: 304, headers: { ...headers, ETag: representation.entityTag() } });
  const { body, headers: encoding } = await representation.encode(c);
  const content = { 'Content-Type': representation.type, 'Content-Length': String(body.length) };
  return new Response(c.req.method === 'HEAD' ? null : body, { headers: { ...headers, ...content, ...encoding } });
}
