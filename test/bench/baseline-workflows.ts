import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow';

type EmptyActivities = { doNothing(): Promise<void> };
const options = { startToCloseTimeout: '1 minute' } as const;
const { doNothing } = proxyActivities<EmptyActivities>(options);
const { doNothing: recordNothing } = proxyLocalActivities<EmptyActivities>(options);

/** The baseline of a run: empty activities in sequence. */
export async function baseline(steps: number): Promise<void> {
  for (let step = 0; step < steps; step += 1) await doNothing();
}

/** The baseline of agent turns: for each turn an empty activity, and a local one in place of recording its result. */
export async function baselineTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await doNothing();
    await recordNothing();
  }
}
