import { setTimeout as sleep } from 'node:timers/promises';
import {
  isGrpcServiceError,
  ServiceError as TemporalError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { ApplicationFailure, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import { isReason, reasons, ServiceError, type ErrorCode, type Reason } from '../../errors.ts';

/** Bounds how long a caller waits; work that the server has accepted continues without them. */
const callTimeoutMs = 20_000;

const uncertain = 'The request may or may not have been applied. Read the resource again before retrying.';

/** Excludes the codes about credentials and body size, which a workflow cannot raise about the caller's own request. */
const callerCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not-found',
  'conflict',
  'invalid',
  'unavailable',
  'too-many-requests',
  'forbidden',
]);

/**
 * Calls a workflow and translates every failure of the call to a ServiceError. Only the client knows whether the server
 * is unavailable or slow: it gives up after some seconds without a connection, and otherwise waits until the deadline.
 */
export async function callWorkflow<T>(
  temporal: Client,
  call: () => Promise<T>,
  { timeoutMs = callTimeoutMs }: { timeoutMs?: number } = {},
): Promise<T> {
  try {
    return await temporal.withDeadline(Date.now() + timeoutMs, async () => await retryUntilAccepted(call));
  } catch (error) {
    throw toServiceError(error);
  }
}

const attemptsMax = 10;

/**
 * Repeats a message that the workflow did not accept because it was completing or continuing as new. The server keeps
 * nothing of such a message, so a repetition cannot apply it twice.
 */
async function retryUntilAccepted<T>(call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isTransientRejection(error) || attempt === attemptsMax) throw error;
      await sleep(50 * attempt);
    }
  }
}

/**
 * The server gives these rejections no status code of their own, so they are recognized by their message. The library
 * reports that of an update with start without a cause.
 */
const isTransientRejection = (error: unknown): boolean =>
  error instanceof TemporalError &&
  /unexpected workflow task failure|workflow is closing/.test(
    isGrpcServiceError(error.cause) ? error.cause.message : error.message,
  );

/** The status UNAVAILABLE of gRPC: the client has no connection to the server. */
const isUnavailable = (cause: unknown): boolean => isGrpcServiceError(cause) && cause.code === 14;

function toUnavailable(error: Error): ServiceError {
  if (isUnavailable(error.cause))
    return new ServiceError('workflow-server-unreachable', `The workflow server cannot be reached. ${uncertain}`, {
      retryAfterMs: 5000,
    });
  return new ServiceError('workflow-not-responding', `The workflow did not respond in time. ${uncertain}`, {
    retryAfterMs: 5000,
  });
}

function toServiceError(error: unknown): unknown {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError)
    return findServiceError(error.cause) ?? error;
  if (error instanceof WorkflowNotFoundError)
    return new ServiceError('workflow-completed', 'The workflow has already completed. Read the resource again.');
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof TemporalError)
    return toUnavailable(error);
  return error;
}

/** Finds the refusal that a workflow or its activities raised; it is the innermost ApplicationFailure. */
function findServiceError(failure: unknown): ServiceError | undefined {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof ApplicationFailure) || cause.cause instanceof ApplicationFailure) continue;
    return new ServiceError(toReason(cause.type), cause.message);
  }
  return undefined;
}

const toReason = (type: string | undefined | null): Reason =>
  isReason(type) && callerCodes.has(reasons[type].code) ? type : 'conflict';

export async function isTemporalReachable(temporal: Client, timeoutMs: number): Promise<boolean> {
  try {
    await temporal.withDeadline(Date.now() + timeoutMs, () => temporal.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
