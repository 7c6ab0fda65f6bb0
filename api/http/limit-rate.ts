import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { Caller } from '../../src/rules/access/roles.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { type RateLimiter, type RateLimitState, toRateLimitHeaders } from './rate-limiter.ts';

/** The rest is for browser sessions, in which the owner of a stolen token revokes it. */
const shareOfTokens = 0.8;

/** Counts the request of an authenticated caller, tells what is left, and rejects what exceeds the limit. */
export function limitRate({ now }: Pick<ApiDeps, 'now'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const state = consume(c.get('rateLimiter'), c.get('caller'), now());
    Object.assign(c.get('defaultHeaders'), toRateLimitHeaders(state));
    if (state.isExceeded)
      throw new ServiceError(
        'request-limit-reached',
        `The limit of ${state.limit} requests per minute is reached (QUOTA_REQUESTS_PER_USER_PER_MINUTE). Continue in ${state.resetSeconds} s.`,
        { retryAfterMs: state.resetSeconds * 1_000 },
      );
    await next();
  };
}

function consume(limiter: RateLimiter, { user, via }: Caller, now: Date): RateLimitState {
  if (via === 'session') return limiter.consume(user, now);
  const ofTokens = limiter.consume(`${user} by token`, now, Math.ceil(limiter.limit * shareOfTokens));
  // A request that is refused takes nothing from the sessions.
  if (ofTokens.isExceeded) return ofTokens;
  const ofPerson = limiter.consume(user, now);
  return ofPerson.remaining < ofTokens.remaining || ofPerson.isExceeded ? ofPerson : ofTokens;
}
