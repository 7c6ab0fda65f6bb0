import { defineQuery, defineSignal } from '@temporalio/workflow';
import { searchAttributes } from '../search-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';

export type KeepScheduleInput = {
  org: string;
  agentWorkflow: string;
  /** A time that came due and has not started the runs of all Products yet: where it goes on. */
  starting?: { due: string; after: string };
  /** How long to sleep at most before looking again. */
  pace?: { lookAgainMs: number };
};

/** Something that the schedule depends on was written: it is read again. */
export const scheduleChanged = defineSignal('scheduleChanged');

export type NextScheduled = { schedule: string | undefined; at: string | undefined };
export const next = defineQuery<NextScheduled>('next');

/** One loop per AgentWorkflow: no time starts its runs twice. */
export const keepScheduleId = ({ org, agentWorkflow }: KeepScheduleInput): string =>
  `keep-schedule/${org}/${agentWorkflow}`;

/** Starts the loop where there is none, and wakes it in any case. */
export const wakeSchedule = (input: KeepScheduleInput) => ({
  taskQueue: defaultTaskQueue,
  workflowId: keepScheduleId(input),
  args: [input] as [KeepScheduleInput],
  signal: scheduleChanged,
  staticSummary: `schedule of ${input.agentWorkflow} in ${input.org}`,
  typedSearchAttributes: searchAttributes({ org: input.org, targetKind: 'schedule' }),
});
