import type { MiddlewareHandler } from 'hono';
import type { ApiConfig, ApiEnv } from '../deps.ts';

/** Responses depend on the caller, so shared caches must not store them and a private copy is revalidated by ETag. */
const privateCache = { 'Cache-Control': 'private, no-cache' };

/** A handler may set another value of these. */
const overridable = { ...privateCache, 'Referrer-Policy': 'no-referrer' };

/** The headers of Helmet and Hono's secure-headers, with all framing denied. */
const baseHeaders = {
  ...overridable,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

/**
 * Assigns the request id and sets the default headers on every response. A cached response is created with them
 * (`hasDefaultHeaders`), because adding each header to an existing response would dominate its cost.
 */
export function defaultHeaders(config: Pick<ApiConfig, 'publicUrl'>): MiddlewareHandler<ApiEnv> {
  const create = createDefaultHeaders(config);
  return async (c, next) => {
    const { requestId, headers } = create(c.req.header('x-request-id'));
    c.set('requestId', requestId);
    c.set('defaultHeaders', headers);
    await next();
    if (c.get('hasDefaultHeaders')) return;
    for (const [name, value] of Object.entries(headers))
      if (!(name in overridable && c.res.headers.has(name))) c.res.headers.set(name, value);
  };
}

/** Returns a function that assigns the request id and creates the default headers of one response. */
export function createDefaultHeaders({ publicUrl }: Pick<ApiConfig, 'publicUrl'>) {
  const transport = { 'Strict-Transport-Security': 'max-age=15552000; includeSubDomains' };
  const always = publicUrl.startsWith('https:') ? { ...baseHeaders, ...transport } : baseHeaders;
  return (sentRequestId: string | undefined): { requestId: string; headers: Record<string, string> } => {
    const requestId = parseRequestId(sentRequestId) ?? crypto.randomUUID();
    return { requestId, headers: { ...always, 'X-Request-Id': requestId } };
  };
}

/** Accepts the request id of a proxy only in a form that is safe to write to the log. */
const parseRequestId = (header: string | undefined): string | undefined =>
  header !== undefined && /^[\w\-=]{1,255}$/.test(header) ? header : undefined;
