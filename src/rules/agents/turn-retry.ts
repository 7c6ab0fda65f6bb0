import type { Reason } from '../../errors.ts';

const defaultFirstDelayMs = 1_000;
const delayMsMax = 2 * 60_000;
/** The delays add up to half an hour, which outlasts most outages of a provider. */
const attemptsMax = 20;
/** Another worker may have a sandbox, but none gets one by waiting. */
const sandboxAttemptsMax = 3;

export type UnavailableTurn = {
  /** Counts the failed attempts from 1. */
  attempt: number;
  reason: Reason;
  /** The time that the other system named. */
  retryAfterMs?: number | undefined;
  /** The delay after the first attempt; by default a second. */
  firstDelayMs?: number | undefined;
};

/** Returns the delay before a turn is tried again, and undefined when a person has to look at the cause. */
export function turnRetryDelayMs({
  attempt,
  reason,
  retryAfterMs = 0,
  firstDelayMs = defaultFirstDelayMs,
}: UnavailableTurn): number | undefined {
  if (attempt >= (reason === 'sandbox-unavailable' ? sandboxAttemptsMax : attemptsMax)) return undefined;
  return Math.max(Math.min(firstDelayMs * 2 ** (attempt - 1), delayMsMax), retryAfterMs);
}
