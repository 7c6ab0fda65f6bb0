import { ApplicationFailure, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/common';
import {
  ServiceError as TemporalError,
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
  type Client,
} from '@temporalio/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../src/errors.ts';

/** Longer than any answer takes that a caller should wait for; what was durable by then goes on without them. */
const answerWithinMs = 20_000;

const away =
  'The workflow server cannot be reached right now, so nothing was changed or it is not known yet. Look again, then retry.';
const codes: ReadonlySet<string> = new Set<ErrorCode>([
  'not-found',
  'conflict',
  'invalid',
  'unavailable',
  'too-many-requests',
  'forbidden',
]);

/** After this long without an answer it is asked whether anybody is there at all. */
const askAfterMs = 1500;
const probeWithinMs = 1000;

/** Speaks to a workflow: the one translation of what comes back into refusals. */
export async function speaking<T>(
  temporal: Client,
  call: () => Promise<T>,
  { withinMs = answerWithinMs }: { withinMs?: number } = {},
): Promise<T> {
  const answer = temporal.withDeadline(Date.now() + withinMs, async () => await untilTaken(call));
  const nobodyThere = Promise.withResolvers<never>();
  // Left alone, the client would try for as long as the deadline while nobody is there.
  const ask = async (): Promise<void> => {
    if (!(await reachesTemporal(temporal, probeWithinMs))) nobodyThere.reject(unavailable());
  };
  const doubt = setTimeout(() => void ask(), askAfterMs);
  try {
    return await Promise.race([answer, nobodyThere.promise]);
  } catch (error) {
    throw translate(error);
  } finally {
    clearTimeout(doubt);
  }
}

const takesMax = 5;

/**
 * A workflow that was just ending, or going on as new, when the message came has not taken it, and nothing of it was
 * kept: it is sent again.
 */
async function untilTaken<T>(call: () => Promise<T>): Promise<T> {
  for (let take = 1; ; take += 1) {
    try {
      return await call();
    } catch (error) {
      if (!wasLost(error) || take === takesMax) throw error;
      await sleep(50 * take);
    }
  }
}

/** No code of its own tells these apart from other refusals of the server. */
const wasLost = (error: unknown): boolean =>
  error instanceof TemporalError &&
  isGrpcServiceError(error.cause) &&
  /unexpected workflow task failure|workflow is closing/.test(error.cause.message);

const unavailable = (): ServiceError => new ServiceError('unavailable', away, { retryAfterMs: 5000 });

function translate(error: unknown): unknown {
  if (error instanceof WorkflowExecutionAlreadyStartedError) return error;
  if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowFailedError)
    return refusalOf(error.cause) ?? error;
  if (error instanceof WorkflowNotFoundError)
    return new ServiceError(
      'conflict',
      'Nothing is going on there any more that could take this. Read the resource again.',
    );
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError || error instanceof TemporalError) return unavailable();
  return error;
}

/** A refusal by a workflow or its activities, at the bottom of however many wrappings. */
function refusalOf(cause: unknown): ServiceError | undefined {
  for (let at = cause; at instanceof Error; at = at.cause) {
    if (!(at instanceof ApplicationFailure) || at.cause instanceof ApplicationFailure) continue;
    return new ServiceError(isCode(at.type) ? at.type : 'conflict', at.message);
  }
  return undefined;
}

const isCode = (type: string | undefined | null): type is ErrorCode => typeof type === 'string' && codes.has(type);

/** Whether the server answers at all, asked with little patience. */
export async function reachesTemporal(temporal: Client, withinMs: number): Promise<boolean> {
  try {
    await temporal.withDeadline(Date.now() + withinMs, () => temporal.workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
