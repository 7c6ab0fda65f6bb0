import { expect, inject } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
// The import declares the values that the global setup provides.
import type {} from '../global-setup/temporal.ts';
import { replayHistories, startWorkflowHarness, type WorkflowHarness } from './workflow-harness.ts';

/** Polls long enough for a machine that is busy with other tests. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 60_000, interval: 10 });

/** Runs the real workflows on the shared server with fake activities, and replays all histories after the test. */
export async function withWorkflowHarness(
  activities: Partial<Activities>,
  test: (world: WorkflowHarness) => Promise<void>,
  address = inject('temporalAddress') ?? '',
): Promise<void> {
  const world = await startWorkflowHarness({ address, activities });
  try {
    await test(world);
    await replayHistories(await world.fetchHistories());
  } finally {
    await world.close();
  }
}
