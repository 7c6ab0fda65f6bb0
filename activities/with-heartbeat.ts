import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';

/** Applies to activities without a heartbeat timeout, for which the interval does not matter. */
const defaultHeartbeatTimeoutMs = 10_000;

/** The interval of heartbeats, each of which learns of a cancellation; a third of the timeout by default. */
export type HeartbeatPace = { heartbeatMs?: number };

/**
 * Heartbeats while `work` runs, so that another worker retries the activity soon after its worker has died. A worker
 * shutdown becomes a retryable failure, because only a cancellation by a person ends the activity.
 */
export async function withHeartbeat<T>(
  work: (signal: AbortSignal) => Promise<T>,
  { heartbeatMs }: HeartbeatPace = {},
): Promise<T> {
  const context = Context.current();
  const signal = context.cancellationSignal;
  // With a third of the timeout, two heartbeats may be lost.
  const intervalMs = heartbeatMs ?? (context.info.heartbeatTimeoutMs ?? defaultHeartbeatTimeoutMs) / 3;
  const timer = setInterval(() => context.heartbeat(), intervalMs);
  context.heartbeat();
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    const reason: unknown = signal.reason;
    if (reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN')
      throw ApplicationFailure.retryable('The worker shut down.', 'WorkerShutdown');
    throw reason;
  } finally {
    clearInterval(timer);
  }
}
