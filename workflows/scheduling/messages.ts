import { defineQuery, defineSignal } from '@temporalio/workflow';
import { startAttributes } from '../start-attributes.ts';
import { defaultTaskQueue } from '../task-queues.ts';
import type { WorkflowStart } from '../workflow-start.ts';

export type RunScheduleInput = {
  org: string;
  agentWorkflow: string;
  /** A due time whose runs are started for the Products up to `after`; the loop starts the others next. */
  pendingStart?: { due: string; after: string };
  /** The longest sleep before the schedule is read again, and the sleep while the quota of the org is used up. */
  intervals?: { rereadIntervalMs?: number; quotaIntervalMs?: number };
};

/** Announces a write that the schedule depends on; the loop reads the schedule again. */
export const scheduleChangedSignal = defineSignal('scheduleChanged');

export type NextScheduled = { schedule: string | undefined; at: string | undefined };
export const nextScheduledQuery = defineQuery<NextScheduled>('nextScheduled');

/** The id allows one loop per AgentWorkflow, so that no due time starts its runs twice. */
export const runScheduleId = ({ org, agentWorkflow }: Pick<RunScheduleInput, 'org' | 'agentWorkflow'>): string =>
  `run-schedule/${org}/${agentWorkflow}`;

export const runScheduleStart = (
  input: RunScheduleInput,
): WorkflowStart<(input: RunScheduleInput) => Promise<void>> => ({
  type: 'runSchedule',
  options: {
    workflowId: runScheduleId(input),
    args: [input],
    taskQueue: defaultTaskQueue,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    ...startAttributes({ org: input.org, targetKind: 'schedule' }),
    staticSummary: `Schedule of ${input.agentWorkflow}`,
    staticDetails: `Org **${input.org}**, AgentWorkflow **${input.agentWorkflow}**.`,
  },
});
