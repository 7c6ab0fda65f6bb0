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

const unreachableDetail =
  'The workflow server cannot be reached. The request may or may not have been applied. Re-read the resource before retrying.';

/** Excludes the codes about credentials and body size, which a workflow cannot raise about the caller's own request. */
const callerCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'not-found',
  'conflict',
  'invalid',
  'unavailable',
  'too-many-requests',
  'forbidden',
]);

/** A call that takes longer than this starts a probe of the server. */
const probeDelayMs = 1500;
const probeTimeoutMs = 1000;

/** Calls a workflow and translates every failure of the call to a ServiceError. */
export async function callWorkflow<T>(
  temporal: Client,
  call: () => Promise<T>,
  { timeoutMs = callTimeoutMs }: { timeoutMs?: number } = {},
): Promise<T> {
  const result = temporal.withDeadline(Date.now() + timeoutMs, async () => await retryUntilAccepted(call));
  const serverUnreachable = Promise.withResolvers<never>();
  // The client alone would retry until the deadline while the server is down; the probe ends the wait early.
  const probe = async (): Promise<void> => {
    if (!(await isTemporalReachable(temporal, probeTimeoutMs))) serverUnreachable.reject(unreachable());
  };
  const probeTimer = setTimeout(() => void probe(), probeDelayMs);
  try {
    return await Promise.race([result, serverUnreachable.promise]);
  } catch (error) {
    throw toServiceError(error);
  } finally {
    clearTimeout(probeTimer);
  }
}

const attemptsMax = 5;

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

/** The server gives these rejections no status code of their own, so they are recognized by their message. */
const isTransientRejection = (error: unknown): boolean =>
  error instanceof TemporalError &&
  isGrpcServiceError(error.cause) &&
  /unexpected workflow task failure|workflow is closing/.test(error.cause.message);

const unreachable = (): ServiceError =>
  new ServiceError('workflow-server-unreachable', unreachableDetail, { retryAfterMs: 5000 });

function toServiceError(error: unknown): unknown {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError)
    return findServiceError(error.cause) ?? error;
  if (error instanceof WorkflowNotFoundError)
    return new ServiceError('workflow-completed', 'The workflow has already completed. Read the resource again.');
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof TemporalError) return unreachable();
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
