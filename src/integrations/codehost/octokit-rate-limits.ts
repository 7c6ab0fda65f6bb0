import type { Octokit } from '@octokit/core';
import { RequestError } from '@octokit/request-error';
import { ServiceError } from '../../errors.ts';

/** A call that waits occupies its caller, such as a slot for activities, so a longer wait is left to the caller. */
const waitSecondsMax = 5;
const retriesMax = 2;

const retryAfterMsMin = 1_000;
const retryAfterMsMax = 60 * 60_000;
/** The code host requires this wait after a rate limit for which it names no time. */
const retryAfterMsDefault = 60_000;

/** An activity ends after a minute; its retry looks for what this attempt wrote, so a later write would be a second one. */
const writeWaitMsMax = 40_000;

/** The rate limits of the code host are per application, so the clients of one application share one queue. */
export function toThrottleOptions(appId: string, { enabled }: { enabled: boolean }) {
  const isWorthWaiting = (seconds: number, _request: object, _octokit: unknown, retryCount: number): boolean =>
    seconds <= waitSecondsMax && retryCount < retriesMax;
  return { enabled, id: appId, onRateLimit: isWorthWaiting, onSecondaryRateLimit: isWorthWaiting };
}

/** The plugin for retries does not know when a rate limit ends, so it leaves 429 alone, and the lasting refusals. */
export const retryOptions = { doNotRetry: [400, 401, 403, 404, 410, 422, 429, 451] };

/** Turns the response to a request over a rate limit into a refusal with the time to retry. */
export function translateRateLimits({ hook }: Octokit): void {
  hook.error('request', (error) => {
    throw toRateLimitError(error) ?? error;
  });
}

function toRateLimitError(error: unknown): ServiceError | undefined {
  if (!(error instanceof RequestError) || (error.status !== 403 && error.status !== 429)) return undefined;
  const headers = error.response?.headers ?? {};
  const isExhausted = headers['x-ratelimit-remaining'] === '0';
  const seconds = headers['retry-after'];
  // Any other 403 denies access.
  const isLimit = isExhausted || seconds !== undefined || /\bsecondary rate limit\b/i.test(error.message);
  if (error.status === 403 && !isLimit) return undefined;
  const resetMs = isExhausted ? Number(headers['x-ratelimit-reset']) * 1000 - Date.now() : Number.NaN;
  const namedMs = seconds === undefined ? resetMs : Number(seconds) * 1000;
  const waitMs = Number.isFinite(namedMs) ? namedMs : retryAfterMsDefault;
  return new ServiceError(
    'too-many-requests',
    'The rate limit of the code host for this org’s application is reached. Retry after the given time.',
    { retryAfterMs: Math.min(Math.max(waitMs, retryAfterMsMin), retryAfterMsMax) },
  );
}

/** Refuses a write that has waited too long, and never sends it: the caller retries, and both would be applied. */
export function limitWriteWaits({ hook }: Octokit): void {
  hook.wrap('request', async (request, options) => {
    if (options.method === 'GET' || options.method === 'HEAD') return await request(options);
    const deadline = Date.now() + writeWaitMsMax;
    const { promise: refusal, reject } = Promise.withResolvers<never>();
    const refuse = (): void =>
      reject(
        new ServiceError(
          'too-many-requests',
          'The code host accepts few writes per minute, and this one has waited too long. Retry in a moment.',
        ),
      );
    const timer = setTimeout(refuse, writeWaitMsMax);
    // Every queue and retry is outside of this function, which sends the request.
    const send: typeof fetch = async (...request) => {
      clearTimeout(timer);
      if (Date.now() < deadline) return await fetch(...request);
      refuse();
      throw new DOMException('The write has waited too long.', 'AbortError');
    };
    // Octokit sends this options object, whose part about requests may be shared with other requests.
    options.request = { ...options.request, fetch: send };
    try {
      return await Promise.race([refusal, request(options)]);
    } finally {
      clearTimeout(timer);
    }
  });
}
