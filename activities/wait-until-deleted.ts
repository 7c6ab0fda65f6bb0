import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';

const pollIntervalMs = { min: 100, max: 1_000 };
/** A deletion usually takes seconds; the status shows progress when it takes longer. */
const reportDelayMs = 5_000;

/**
 * Polls until nothing remains, or until the timeout; after a delay, reports each change of what remains. Polls less often
 * the longer it takes, because one poll may list all runs of an org.
 */
export async function waitUntilDeleted<Remaining extends object = string[]>(
  findRemaining: () => Promise<Remaining | undefined>,
  report: (remaining: Remaining) => Promise<void>,
  timeoutMs = Infinity,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const startedAt = Date.now();
  let reported = '';
  for (let remaining = await findRemaining(); remaining; remaining = await findRemaining()) {
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs > timeoutMs) return;
    const text = JSON.stringify(remaining);
    if (elapsedMs > reportDelayMs && text !== reported) {
      reported = text;
      await report(remaining);
    }
    await sleep(Math.min(pollIntervalMs.max, Math.max(pollIntervalMs.min, elapsedMs / 10)), undefined, { signal });
  }
}
