import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

/** The refusal at the bottom of a failure, as a person should read it. */
export function reasonOf(error: unknown): ApplicationFailure {
  let cause: unknown = error;
  while (cause instanceof ActivityFailure || cause instanceof ChildWorkflowFailure) cause = cause.cause;
  if (cause instanceof ApplicationFailure) return ApplicationFailure.nonRetryable(cause.message, cause.type);
  return ApplicationFailure.nonRetryable(cause instanceof Error ? cause.message : String(cause), 'fault');
}
