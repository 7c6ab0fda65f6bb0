import { randomBytes, timingSafeEqual } from 'node:crypto';
import { hashToken } from '../hash-token.ts';
import type { Host } from '../host.ts';
import type { OAuthClient } from '../tables.ts';

type HasDatabase = Pick<Host, 'database'>;
type NewClient = Pick<OAuthClient, 'kind' | 'name' | 'clientId'> & { clientSecret: string; callbackUrls: string[] };

export function saveOAuthClient({ database }: HasDatabase, { clientSecret, callbackUrls, ...client }: NewClient): void {
  database.insert('oauthClients', {
    ...client,
    secretHash: hashToken(clientSecret),
    callbackUrls: JSON.stringify(callbackUrls),
  });
}

/** Registers an OAuth app, and returns its credentials, of which the secret is shown once. */
export function registerOAuthApp(
  host: HasDatabase,
  { name, callbackUrl }: { name: string; callbackUrl: string },
): { clientId: string; clientSecret: string } {
  const credentials = {
    clientId: `Ov23li${randomBytes(7).toString('hex')}`,
    clientSecret: randomBytes(20).toString('hex'),
  };
  saveOAuthClient(host, { kind: 'oauth-app', name, callbackUrls: [callbackUrl], ...credentials });
  return credentials;
}

export const findOAuthClient = ({ database }: HasDatabase, clientId: string): OAuthClient | undefined =>
  database.get<OAuthClient>('SELECT * FROM oauthClients WHERE clientId = ?', clientId);

export const hasSecret = ({ secretHash }: OAuthClient, secret: string): boolean =>
  timingSafeEqual(Buffer.from(secretHash), Buffer.from(hashToken(secret)));

/** Returns where to redirect to, by default the first callback URL, or undefined when the app does not list the address. */
export function resolveRedirect(
  { kind, callbackUrls }: OAuthClient,
  requested: string | undefined,
): string | undefined {
  const urls = JSON.parse(callbackUrls) as string[];
  if (requested === undefined) return urls[0];
  return urls.some((url) => (kind === 'github-app' ? url === requested : isBelow(requested, url)))
    ? requested
    : undefined;
}

/** An OAuth app may redirect to any path below its callback URL. */
function isBelow(requested: string, registered: string): boolean {
  const [one, other] = [URL.parse(requested), URL.parse(registered)];
  if (!one || !other || one.origin !== other.origin) return false;
  return one.pathname === other.pathname || one.pathname.startsWith(`${other.pathname.replace(/\/$/, '')}/`);
}
