import type { MiddlewareHandler } from 'hono';
import type { ApiConfig, ApiEnv } from './deps.ts';

/** The set that Helmet and Hono's secure-headers have, with no frames at all. */
const secure = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

/** What one person may see is nobody else's; a copy is good only as long as its ETag is. */
const ownCache = { 'Cache-Control': 'private, no-cache' };

/**
 * Names every request and gives every answer the same headers. A handler that is asked thousands of times a second makes
 * its answer with them at once (`usualHeaders`): to add each to an answer that is made costs more than all else.
 */
export function giveUsualHeaders({ publicUrl }: Pick<ApiConfig, 'publicUrl'>): MiddlewareHandler<ApiEnv> {
  const transport = { 'Strict-Transport-Security': 'max-age=15552000; includeSubDomains' };
  const always = publicUrl.startsWith('https:') ? { ...secure, ...transport } : secure;
  return async (c, next) => {
    const requestId = knownAs(c.req.header('x-request-id')) ?? crypto.randomUUID();
    const named = { ...always, 'X-Request-Id': requestId };
    c.set('requestId', requestId);
    c.set('usualHeaders', { ...named, ...ownCache });
    await next();
    if (c.get('hasUsualHeaders')) return;
    for (const [name, value] of Object.entries(named)) c.res.headers.set(name, value);
    for (const [name, value] of Object.entries(ownCache)) if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  };
}

/** A name that a proxy gave, if it is one that a log can hold. */
const knownAs = (given: string | undefined): string | undefined =>
  given !== undefined && /^[\w\-=]{1,255}$/.test(given) ? given : undefined;
