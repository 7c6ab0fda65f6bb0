import { expect, inject } from 'vitest';
import type { Activities } from '../../activities/index.ts';
// For what it declares that the run provides.
import type {} from './temporal.ts';
import { replay, startWorkflowWorld, type WorkflowWorld } from './workflow-world.ts';

/** As long as a machine that is busy with other tests may need. */
export const eventually = <T>(what: () => T) => expect.poll(what, { timeout: 20_000, interval: 10 });

/** Has the real workflows run on the run's server with made-up activities; what was written must replay at the end. */
export async function onTemporal(
  activities: Partial<Activities>,
  test: (world: WorkflowWorld) => Promise<void>,
  address = inject('temporalAddress') ?? '',
): Promise<void> {
  const world = await startWorkflowWorld({ address, activities });
  try {
    await test(world);
    await replay(await world.histories());
  } finally {
    await world.close();
  }
}
