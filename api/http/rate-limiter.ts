import { boundedCache } from './bounded-cache.ts';

/** Bounds the memory of the windows of all callers. */
const callersMax = 10_000;
const windowMs = 60_000;

type Window = { used: number; endsAt: number };
/** The requests that a caller has left in the current window. */
export type RateLimitState = { limit: number; remaining: number; resetSeconds: number; isExceeded: boolean };

/** Counts the requests of each caller at this process, in windows of a minute. */
export class RateLimiter {
  readonly limit: number;
  readonly #windows = boundedCache<Window>(callersMax);

  constructor(limit: number) {
    this.limit = limit;
  }

  consume(caller: string, now: Date, limit = this.limit): RateLimitState {
    const current = this.#windows.get(caller);
    const window = current && current.endsAt > now.getTime() ? current : this.#open(caller, now);
    window.used += 1;
    return {
      limit,
      remaining: Math.max(0, limit - window.used),
      resetSeconds: Math.ceil((window.endsAt - now.getTime()) / 1_000),
      isExceeded: window.used > limit,
    };
  }

  #open(caller: string, now: Date): Window {
    const opened = { used: 0, endsAt: now.getTime() + windowMs };
    this.#windows.set(caller, opened);
    return opened;
  }
}

/** The headers of draft-ietf-httpapi-ratelimit-headers. */
export const toRateLimitHeaders = ({ limit, remaining, resetSeconds }: RateLimitState): Record<string, string> => ({
  'RateLimit-Policy': `"requests";q=${limit};w=${windowMs / 1_000}`,
  RateLimit: `"requests";r=${remaining};t=${resetSeconds}`,
});
