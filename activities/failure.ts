import { ApplicationFailure } from '@temporalio/common';
import { ServiceError } from '../src/errors.ts';

/** Refusals that trying again does not change; `unavailable` and `too-many-requests` pass by themselves. */
const final = new Set<string>(['not-signed-in', 'forbidden', 'not-found', 'conflict', 'invalid', 'too-large']);

/** A refusal as Temporal understands it: its type is the ServiceError's code. */
export function toFailure(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return ApplicationFailure.create({
    message: error.message,
    type: error.code,
    nonRetryable: final.has(error.code),
    ...(error.retryAfterMs === undefined ? {} : { nextRetryDelay: error.retryAfterMs }),
  });
}

type AnyActivities = Record<string, (...args: never[]) => Promise<unknown>>;

/** Translates the refusals of every activity, in one place. */
export function translated<T extends AnyActivities>(activities: T): T {
  const entries = Object.entries(activities).map(([name, run]) => [
    name,
    async (...args: never[]) => {
      try {
        return await run(...args);
      } catch (error) {
        throw toFailure(error);
      }
    },
  ]);
  return Object.fromEntries(entries) as T;
}
