import { Context } from '@temporalio/activity';
import { setTimeout as sleep } from 'node:timers/promises';

const pollIntervalMs = 100;
/** A deletion usually takes seconds; the status shows progress when it takes longer. */
const reportDelayMs = 5_000;

/** Polls until nothing remains, or until the timeout; after a delay, reports each change of what remains. */
export async function waitUntilDeleted(
  listRemaining: () => Promise<string[] | undefined>,
  report: (remaining: string[]) => Promise<void>,
  timeoutMs = Infinity,
): Promise<void> {
  const signal = Context.current().cancellationSignal;
  const startedAt = Date.now();
  let reported = '';
  for (let remaining = await listRemaining(); remaining; remaining = await listRemaining()) {
    const elapsedMs = Date.now() - startedAt;
    if (elapsedMs > timeoutMs) return;
    if (elapsedMs > reportDelayMs && remaining.join() !== reported) {
      reported = remaining.join();
      await report(remaining);
    }
    await sleep(pollIntervalMs, undefined, { signal });
  }
}
