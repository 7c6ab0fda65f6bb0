import type { Context } from 'hono';
import { setCookie } from 'hono/cookie';
import { ServiceError } from '../../src/errors.ts';

const isLoopbackUrl = (url: string): boolean =>
  /^(localhost|.*\.localhost|127\.0\.0\.1|\[::1\])$/.test(new URL(url).hostname);

/** Browsers reject a secure cookie of a plain http site, and treat only loopback as secure without TLS. */
const isSecure = (siteUrl: string): boolean => siteUrl.startsWith('https:') || !isLoopbackUrl(siteUrl);

/** The prefix makes browsers refuse the cookie from any other host, so that a sibling host cannot plant one. */
export const cookieName = (name: string, siteUrl: string): string => (isSecure(siteUrl) ? `__Host-${name}` : name);

/** Sets a cookie of one site that no script can read and no other host can set. */
export function setHostCookie(
  c: Context,
  { name, siteUrl, value, maxAgeMs }: { name: string; siteUrl: string; value: string; maxAgeMs: number },
): void {
  setCookie(c, cookieName(name, siteUrl), value, {
    httpOnly: true,
    sameSite: 'Lax',
    secure: isSecure(siteUrl),
    path: '/',
    maxAge: maxAgeMs / 1000,
  });
}

export const deleteHostCookie = (c: Context, name: string, siteUrl: string): void =>
  setHostCookie(c, { name, siteUrl, value: '', maxAgeMs: 0 });

/**
 * Returns the only cookie of the name. Throws when the request has several: a sibling host or a longer path can add one,
 * and the order in which a browser sends them is no proof of their origin.
 */
export function readHostCookie(c: Context, name: string, siteUrl: string): string | undefined {
  const values = listHostCookies(c, name, siteUrl);
  if (values.length > 1)
    throw new ServiceError(
      'ambiguous-cookie',
      `The request has ${values.length} cookies named "${cookieName(name, siteUrl)}". Delete the cookies of this site, then sign in again.`,
    );
  return values[0];
}

export function listHostCookies(c: Context, name: string, siteUrl: string): string[] {
  const own = cookieName(name, siteUrl);
  return (c.req.header('cookie') ?? '').split(';').flatMap((pair) => {
    const end = pair.indexOf('=');
    return isName(own, pair.slice(0, end)) ? [pair.slice(end + 1).trim()] : [];
  });
}

/** Ignores only spaces and tabs: `trim` would also turn "\u00a0__Host-…" into a name that browsers do not protect. */
function isName(name: string, text: string): boolean {
  const at = text.indexOf(name);
  return at !== -1 && /^[ \t]*$/.test(text.slice(0, at)) && /^[ \t]*$/.test(text.slice(at + name.length));
}
