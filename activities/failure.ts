import { ApplicationFailure } from '@temporalio/common';
import { ServiceError } from '../src/errors.ts';

/** Refusals that trying again does not change; `unavailable` and `too-many-requests` pass by themselves. */
const final = new Set<string>(['not-signed-in', 'forbidden', 'not-found', 'conflict', 'invalid', 'too-large']);

/** Whether trying again is of no use. */
export const isFinal = (error: unknown): boolean => error instanceof ServiceError && final.has(error.code);

/** A refusal as Temporal understands it: its type is the ServiceError's code. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: isFinal(error),
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: error.retryAfterMs }),
  });
}
