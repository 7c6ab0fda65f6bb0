import { hash, timingSafeEqual } from 'node:crypto';
import { getCookie } from 'hono/cookie';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../src/errors.ts';
import { AccessGroupKind, ApiTokenKind, UserKind, type ApiToken } from '../src/rules/access/kinds.ts';
import { roleInOrg } from '../src/rules/access/role-in-org.ts';
import { isToken } from '../src/rules/access/token.ts';
import { SecretKind, secretText } from '../src/rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import { lastHeard } from '../src/store/last-heard.ts';
import type { Access, ApiDeps } from './deps.ts';

/** Tokens whose last use this replica remembers to have recorded. */
const recordedMax = 10_000;

export const sessionCookie = 'svc_session';

/** The token itself is never kept; what is kept under this name is enough to know it again. */
export const tokenName = (token: string): string => `token-${hash('sha256', token)}`;

export function createAccess({ store, now, log, config }: ApiDeps): Access {
  // What this replica has revoked bites at its next request, and at those of others once they have heard of it.
  const heard = lastHeard(store);
  const recorded = new LRUCache<string, number>({ max: recordedMax });
  return {
    async identify(c) {
      const bearer = bearerOf(c);
      const token = bearer ?? getCookie(c, sessionCookie);
      if (token === undefined) throw signIn('Sign in, or send a token as "Authorization: Bearer …".');
      if (bearer === undefined) refuseForeignOrigin(c, config.publicUrl);
      const via = bearer === undefined ? 'session' : 'token';
      const found = await credential(token, via);
      const user = await heard.find(UserKind, { namespace: systemNamespace, name: found.spec.user });
      if (!user) throw signIn('The token is unknown or was revoked. Mint another one.');
      await recordUse(found);
      const { email, platformAdmin } = user.spec;
      return { user: user.metadata.name, email, platformAdmin, via };
    },

    async roleIn(caller, org) {
      if (caller.platformAdmin) return 'org-admin';
      const { items } = await heard.list(AccessGroupKind, { namespace: orgNamespace(org) });
      return roleInOrg(caller.email, items);
    },

    async checkSetupToken(given) {
      const secret = await store.find(SecretKind, { namespace: systemNamespace, name: 'service-setup' });
      const token = secretText(secret, 'token');
      if (given === undefined || token === undefined || !sameText(given, token))
        throw signIn(
          'Send the setup token as X-Service-Setup-Token; it is in the secret "service-setup", key "token".',
        );
    },
  };

  async function credential(token: string, use: 'session' | 'token'): Promise<ApiToken> {
    const found =
      isToken(token) && (await heard.find(ApiTokenKind, { namespace: systemNamespace, name: tokenName(token) }));
    // A session is no bearer token, and the other way round: each has its own rules.
    if (!found || found.spec.use !== use)
      throw signIn('The token is unknown or was revoked. Mint another one, or sign in again.');
    if (found.spec.expiresAt !== undefined && Date.parse(found.spec.expiresAt) <= now().getTime())
      throw signIn(
        use === 'session' ? 'The session has expired. Sign in again.' : 'The token has expired. Mint another one.',
      );
    return found;
  }

  /** At most once a minute, by one of those under way: a write per request would cost more than the request. */
  async function recordUse({ metadata, status }: ApiToken): Promise<void> {
    const at = now();
    const last = Math.max(recorded.get(metadata.name) ?? 0, Date.parse(status?.lastUsedAt ?? '') || 0);
    if (at.getTime() - last < 60_000) return;
    recorded.set(metadata.name, at.getTime());
    try {
      await store.updateStatus(ApiTokenKind, metadata, () => ({ lastUsedAt: at.toISOString() }));
    } catch (error) {
      recorded.delete(metadata.name);
      log.warn({ error: String(error) }, 'The last use of a token could not be recorded');
    }
  }
}

const signIn = (detail: string): ServiceError => new ServiceError('not-signed-in', detail);

function bearerOf(c: Context): string | undefined {
  const header = c.req.header('authorization');
  if (header === undefined) return undefined;
  const token = /^bearer +(\S+)$/i.exec(header)?.[1];
  if (token === undefined) throw signIn('The Authorization header must be "Bearer" and a token.');
  return token;
}

/** A browser sends the session cookie along with whatever another site makes it send. */
function refuseForeignOrigin(c: Context, publicUrl: string): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)) return;
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site');
  if (
    origin === undefined ? site === undefined || ['same-origin', 'none'].includes(site) : isOurs(origin, c, publicUrl)
  )
    return;
  throw new ServiceError(
    'forbidden',
    'A change with a browser session must come from a page of this install. Use a token elsewhere.',
  );
}

function isOurs(origin: string, c: Context, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || origin === new URL(c.req.url).origin;
}

/** Compares without telling by its time how much of it was right. */
function sameText(one: string, other: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(one), digest(other));
}
