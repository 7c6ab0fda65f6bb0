import { hash, randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import type { ApiDeps } from '../deps.ts';
import { deleteHostCookie, readHostCookie, setHostCookie } from '../http/cookies.ts';
import { zoneBrowserCookie, type ZoneHosts } from './zone-sessions.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { readZoneAddress } from '../../src/store/installation.ts';

/** The only path of the service on a zone's own host: the gate forwards `/.service/` to the service instead of to the app. */
export const zoneSignInPath = '/.service/sign-in';

/** Long enough to sign in. */
const identityTtlMs = 10 * 60_000;

const toIdentity = (cookie: string): string => hash('sha256', cookie);

/** Gives the browser a cookie of the zone's host, and sends it to the sign-in page with the hash of that cookie. */
export async function identifyBrowser(
  c: Context,
  { store, config }: Pick<ApiDeps, 'store' | 'config'>,
  { zone, to }: { zone: ZoneHosts; to: string },
): Promise<Response> {
  const siteUrl = (await readZoneAddress(cachedReads(store), config.zoneAddress))(zone.name);
  const value = randomBytes(32).toString('base64url');
  setHostCookie(c, { name: zoneBrowserCookie, siteUrl, value, maxAgeMs: identityTtlMs });
  const page = new URL('/api/v1/auth/zone-sign-in', config.publicUrl);
  page.searchParams.set('zone', zone.name);
  page.searchParams.set('to', to);
  page.searchParams.set('browser', toIdentity(value));
  return c.redirect(page.href, 303);
}

/** Returns true when the browser is the one that a ticket was issued for. */
export function isSameBrowser(c: Context, siteUrl: string, identity: string | undefined): boolean {
  const cookie = readHostCookie(c, zoneBrowserCookie, siteUrl);
  return cookie !== undefined && identity !== undefined && toIdentity(cookie) === identity;
}

export const forgetBrowser = (c: Context, siteUrl: string): void => deleteHostCookie(c, zoneBrowserCookie, siteUrl);
