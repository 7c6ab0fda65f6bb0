import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

type Nothing = { nothing(): Promise<void> };
const options = { startToCloseTimeout: '1 minute' } as const;
const { nothing } = proxyActivities<Nothing>(options);
const { nothing: noteNothing } = proxyLocalActivities<Nothing>(options);

/** The reference: as many activities in a row, and nothing else. */
export async function bare(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await nothing();
}

/** The reference of an agent's turns: each an activity, and a local one that would write down what it said. */
export async function bareTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await nothing();
    await noteNothing();
  }
}
