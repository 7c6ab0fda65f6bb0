import type { Context } from 'hono';
import { ServiceError } from '../../src/errors.ts';

/** Rejects cross-site changes: a browser sends them with the session cookie, or would start a session of their sender. */
export function assertSameOrigin(c: Context, publicUrl: string): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return;
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  if (
    origin === undefined
      ? site === undefined || ['same-origin', 'none'].includes(site)
      : isOwnOrigin(origin, c, publicUrl)
  )
    return;
  throw new ServiceError(
    'cross-origin-request',
    'A browser session can make changes only from pages of this installation. Use a token elsewhere.',
  );
}

function isOwnOrigin(origin: string, c: Context, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || origin === new URL(c.req.url).origin;
}
