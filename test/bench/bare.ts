import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** The reference: as many activities in a row, and nothing else. */
export async function bare(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await nothing();
}
