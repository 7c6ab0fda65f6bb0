import type { Context, NotFoundHandler } from 'hono';
import type { ApiDeps, ApiEnv, App } from '../deps.ts';
import { respondProblem } from './problem.ts';

/** Responds 405 when the path exists with another method, otherwise 404. A read of a path with a slash at its end is redirected. */
export function handleUnknownPath(app: App, { config }: ApiDeps): NotFoundHandler<ApiEnv> {
  let paths: { shape: RegExp; method: string }[] | undefined;
  return (c) => {
    paths ??= app.routes
      .filter(({ method }) => method !== 'ALL')
      .map(({ method, path }) => ({
        method,
        shape: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/:[^/]+/g, '[^/]+')}$`),
      }));
    const methods = paths.filter(({ shape }) => shape.test(c.req.path)).map(({ method }) => method);
    if (methods.length === 0 && isRead(c) && c.req.path.endsWith('/'))
      return c.redirect(toUrlWithoutSlash(c, config.publicUrl), 301);
    if (methods.length === 0)
      return respondProblem(c, config.publicUrl, {
        reason: 'not-found',
        detail: `The path ${c.req.path} does not exist. ${c.req.path.endsWith('/') ? 'Leave out the slash at its end. ' : ''}All paths are listed at ${config.publicUrl}/api/docs.`,
      });
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : [])])].toSorted().join(', ');
    const detail = `The path ${c.req.path} does not support ${c.req.method}. Use one of: ${allow}.`;
    return respondProblem(c, config.publicUrl, { reason: 'method-not-allowed', detail, headers: { Allow: allow } });
  };
}

const isRead = ({ req }: Context): boolean => req.method === 'GET' || req.method === 'HEAD';

/** The URL of the request has the scheme http behind a proxy that ends TLS, and some clients would send their token to it. */
function toUrlWithoutSlash(c: Context, publicUrl: string): string {
  const { pathname, search } = new URL(c.req.url);
  return `${publicUrl}${pathname.slice(0, -1)}${search}`;
}
