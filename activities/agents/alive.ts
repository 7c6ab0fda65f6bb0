import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';

const heartbeatMs = 5000;

/**
 * Heartbeats for as long as `work` takes, also before a model's first word. A worker that shuts down is not a person
 * who cancels: its turn fails so that it is taken up elsewhere.
 */
export async function alive<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), heartbeatMs);
  context.heartbeat();
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    const reason: unknown = context.cancellationSignal.reason;
    if (!context.cancellationSignal.aborted) throw error;
    if (reason instanceof CancelledFailure && reason.message === 'WORKER_SHUTDOWN') {
      throw ApplicationFailure.retryable('The worker shut down during the turn.', 'WorkerShutdown');
    }
    throw reason;
  } finally {
    clearInterval(timer);
  }
}
