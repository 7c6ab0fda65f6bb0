import { ServiceError } from '../../errors.ts';
import { signInRetryDelayMs, type SignInLimit, signInWindowMs } from './sign-in-throttle.ts';

/** The times of attempts in milliseconds, by their key. */
export type Attempts = Map<string, readonly number[]>;

/** Bounds the stored attempts, because an attacker can send any number of made-up accounts. */
const keysMax = 200;

/** Reads the attempts that still count. */
export const readAttempts = (data: Record<string, string> | undefined, nowMs: number): Attempts =>
  new Map(
    Object.entries(data ?? {}).flatMap(([key, text]) => {
      const recent = text
        .split(',')
        .map(Number)
        .filter((at) => at > nowMs - signInWindowMs);
      return recent.length === 0 ? [] : [[key, recent]];
    }),
  );

/** Returns the data of the attempts. Those that are the longest ago are dropped first when there are too many keys. */
export function toAttemptsData(attempts: Attempts): Record<string, string> {
  const entries = [...attempts].filter(([, times]) => times.length > 0);
  const newest = entries.toSorted(([, one], [, other]) => (other.at(-1) ?? 0) - (one.at(-1) ?? 0)).slice(0, keysMax);
  return Object.fromEntries(newest.map(([key, times]) => [key, times.join(',')]));
}

/** Throws when the limit of a key is reached; `what` says what the attempts are for. */
export function assertAttemptAllowed(
  times: readonly number[] | undefined,
  { limit, nowMs, what }: { limit: SignInLimit; nowMs: number; what: string },
): void {
  const retryAfterMs = signInRetryDelayMs(times ?? [], limit, nowMs);
  if (retryAfterMs === undefined) return;
  throw new ServiceError('sign-in-throttled', `Too many attempts ${what}. Wait, then try again.`, { retryAfterMs });
}

/** Returns the times with another one; earlier ones than the limit counts are dropped. */
export const addAttempt = (
  times: readonly number[] | undefined,
  { attemptsMax }: SignInLimit,
  nowMs: number,
): number[] => [...(times ?? []), nowMs].slice(-attemptsMax);
