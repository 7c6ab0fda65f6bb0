import { ApplicationFailure } from '@temporalio/common';
import { type ErrorCode, ServiceError } from '../src/errors.ts';

/** Retries can succeed after `unavailable` and `too-many-requests` only. */
const retryableCodes: readonly ErrorCode[] = ['unavailable', 'too-many-requests'];

/** Returns true for a refusal that a retry cannot change. */
export const isNonRetryable = (error: unknown): boolean =>
  error instanceof ServiceError && !retryableCodes.includes(error.code);

/** Translates a ServiceError to an ApplicationFailure, whose type is the reason; any other error keeps its type. */
export function toFailure(error: unknown): unknown {
  return makeWellFormed(error instanceof ServiceError ? translate(error) : error);
}

function translate(error: ServiceError): ApplicationFailure {
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

/** A cut text may end in half of a surrogate pair. The Temporal library ends the whole worker when a failure is not valid UTF-8. */
function makeWellFormed(error: unknown): unknown {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (!at.message.isWellFormed()) at.message = at.message.toWellFormed();
    if (at.stack?.isWellFormed() === false) at.stack = at.stack.toWellFormed();
  }
  return error;
}
