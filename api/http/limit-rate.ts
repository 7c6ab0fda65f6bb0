import type { MiddlewareHandler } from 'hono';
import { ServiceError } from '../../src/errors.ts';
import type { ApiDeps, ApiEnv } from '../deps.ts';
import { toRateLimitHeaders } from './rate-limiter.ts';

/** Counts the request of an authenticated caller, tells what is left, and rejects what exceeds the limit. */
export function limitRate({ now }: Pick<ApiDeps, 'now'>): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const state = c.get('rateLimiter').consume(c.get('caller').user, now());
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
