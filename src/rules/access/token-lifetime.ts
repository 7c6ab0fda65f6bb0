import type { ServiceError } from '../../errors.ts';
import { invalid } from '../../errors.ts';

/** The lifetimes of tokens in an installation. */
export type TokenLifetime = { defaultDays: number; maxDays: number };

const dayMs = 24 * 60 * 60_000;

type NewToken = {
  now: Date;
  /** The expiry that the request asks for. */
  requested: string | undefined;
};

/** Returns when a new token expires, which is never after the longest lifetime of the installation. */
export function resolveTokenExpiry({ defaultDays, maxDays }: TokenLifetime, token: NewToken): string {
  const { now, requested } = token;
  if (requested === undefined) return new Date(now.getTime() + defaultDays * dayMs).toISOString();
  const requestedMs = Date.parse(requested);
  const maxMs = now.getTime() + maxDays * dayMs;
  if (requestedMs <= now.getTime()) throw invalidExpiry(requested, 'must be in the future');
  if (requestedMs > maxMs)
    throw invalidExpiry(requested, `must be within ${maxDays} days, the limit of the installation (TOKEN_DAYS_MAX)`);
  return requested;
}

const invalidExpiry = (requested: string, detail: string): ServiceError =>
  invalid(`The expiry ${requested} is not allowed: it ${detail}.`, [{ pointer: '/expiresAt', detail }]);
