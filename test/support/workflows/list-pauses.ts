import type { WorkflowHarness } from './workflow-harness.ts';

/** Returns the length of all timers in the order in which the executions of a test started them. */
export async function listPausesMs(harness: WorkflowHarness): Promise<number[]> {
  const histories = await harness.fetchHistories();
  return histories
    .flatMap(({ history }) => history.events ?? [])
    .flatMap(({ timerStartedEventAttributes: timer }) => timer?.startToFireTimeout ?? [])
    .map(({ seconds, nanos }) => Number(seconds ?? 0) * 1000 + (nanos ?? 0) / 1_000_000);
}
