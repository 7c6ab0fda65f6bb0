import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure, isCancellation } from '@temporalio/workflow';
import type { ErrorCode, Reason } from '../src/errors.ts';
import { reasons } from '../src/errors.ts';

/** Unwraps activity and child workflow failures, and returns the failure that a caller can act on. */
export function toApplicationFailure(error: unknown): ApplicationFailure {
  let cause: unknown = error;
  while (cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) cause = cause.cause;
  if (cause instanceof ApplicationFailure) return ApplicationFailure.nonRetryable(cause.message, cause.type);
  return ApplicationFailure.nonRetryable(cause instanceof Error ? cause.message : String(cause), 'fault');
}

/** Returns the message of an activity's failure; rethrows a cancellation and any other error. */
export function activityFailureMessage(error: unknown): string {
  if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
  return error.cause instanceof ApplicationFailure ? error.cause.message : error.message;
}

type ReasonWithCode<Code extends ErrorCode> = {
  [Name in Reason]: (typeof reasons)[Name]['code'] extends Code ? Name : never;
}[Reason];

/** Builds the failure of a message that the workflow's state does not allow; the API answers it with 409. */
export const conflictFailure = (reason: ReasonWithCode<'conflict'>, message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, reason satisfies Reason);

/** Returns the reason of a failure that the API or an activity raised, and undefined for a fault. */
export const toReason = ({ type }: ApplicationFailure): Reason | undefined =>
  Object.hasOwn(reasons, type ?? '') ? (type as Reason) : undefined;

/** Returns the class of a failure that the API or an activity raised, and undefined for a fault. */
export function toErrorCode(failure: ApplicationFailure): ErrorCode | undefined {
  const reason = toReason(failure);
  return reason && reasons[reason].code;
}

/** Returns the time that an unavailable system named, in milliseconds. */
export function toRetryAfterMs({ details }: ApplicationFailure): number | undefined {
  const [detail] = (details ?? []) as ({ retryAfterMs?: unknown } | undefined)[];
  return typeof detail?.retryAfterMs === 'number' ? detail.retryAfterMs : undefined;
}
