import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { Context } from '@temporalio/activity';

/** Where an activity has no time-out of its own: then nobody waits for its beats. */
const usualTimeoutMs = 10_000;

/**
 * Heartbeats for as long as `work` takes, also before a model's first word, so that another worker takes an activity up
 * soon after its own has died. A worker that shuts down is not a person who cancels: its activity is taken up elsewhere.
 */
export async function alive<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const signal = context.cancellationSignal;
  // A third of the time-out, so that two beats may be lost.
  const everyMs = (context.info.heartbeatTimeoutMs ?? usualTimeoutMs) / 3;
  const timer = setInterval(() => context.heartbeat(), everyMs);
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
