import { ApplicationFailure } from '@temporalio/common';
import { type ErrorCode, ServiceError } from '../src/errors.ts';

/** Retries can succeed after `unavailable` and `too-many-requests` only. */
const retryableCodes: readonly ErrorCode[] = ['unavailable', 'too-many-requests'];

/** Returns true for a refusal that a retry cannot change. */
export const isNonRetryable = (error: unknown): boolean =>
  error instanceof ServiceError && !retryableCodes.includes(error.code);

/** Translates a ServiceError to an ApplicationFailure, whose type is the reason; any other error is returned as it is. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.reason,
    nonRetryable: isNonRetryable(error),
    // The library does not decode the delay, so the details carry it to a workflow that retries itself.
    ...(error.retryAfterMs === undefined
      ? {}
      : { nextRetryDelay: error.retryAfterMs, details: [{ retryAfterMs: error.retryAfterMs }] }),
  });
}
