import type { MiddlewareHandler } from 'hono';
import type { ApiConfig, ApiEnv } from './deps.ts';

/** What one person may see is nobody else's; a copy is good only as long as its ETag is. */
const ownCache = { 'Cache-Control': 'private, no-cache' };

/** The set that Helmet and Hono's secure-headers have, with no frames at all; a handler may say more of its cache. */
const usual = {
  ...ownCache,
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

/**
 * Names every request and gives every answer the same headers. A handler that is asked thousands of times a second makes
 * its answer with them at once (`usualHeaders`): to add each to an answer that is made costs more than all else.
 */
export function giveUsualHeaders({ publicUrl }: Pick<ApiConfig, 'publicUrl'>): MiddlewareHandler<ApiEnv> {
  const transport = { 'Strict-Transport-Security': 'max-age=15552000; includeSubDomains' };
  const always = publicUrl.startsWith('https:') ? { ...usual, ...transport } : usual;
  return async (c, next) => {
    const requestId = knownAs(c.req.header('x-request-id')) ?? crypto.randomUUID();
    const headers = { ...always, 'X-Request-Id': requestId };
    c.set('requestId', requestId);
    c.set('usualHeaders', headers);
    await next();
    if (c.get('hasUsualHeaders')) return;
    for (const [name, value] of Object.entries(headers))
      if (!(name in ownCache && c.res.headers.has(name))) c.res.headers.set(name, value);
  };
}

/** A name that a proxy gave, if it is one that a log can hold. */
const knownAs = (given: string | undefined): string | undefined =>
  given !== undefined && /^[\w\-=]{1,255}$/.test(given) ? given : undefined;
