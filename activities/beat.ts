import { Context } from '@temporalio/activity';

/** A third of the shortest heartbeat time-out, so that two beats may be lost. */
const everyMs = 5_000;

/** Keeps the running activity alive for as long as `work` takes; the signal says that it was cancelled. */
export async function whileBeating<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  context.heartbeat();
  const timer = setInterval(() => context.heartbeat(), everyMs);
  try {
    return await Promise.race([work(context.cancellationSignal), context.cancelled]);
  } finally {
    clearInterval(timer);
  }
}
