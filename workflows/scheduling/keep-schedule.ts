import {
  WorkflowIdReusePolicy,
  condition,
  continueAsNew,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SchedulePlan } from '../../activities/scheduling.ts';
import { store } from '../activity-options.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowId, runSummary } from '../changes/messages.ts';
import type { runAgentWorkflow } from '../changes/run-agent-workflow.ts';
import { searchAttributes } from '../search-attributes.ts';
import { startApart } from '../start-apart.ts';
import { type KeepScheduleInput, next, scheduleChanged } from './messages.ts';

const { readSchedule, recordSchedule } = proxyLocalActivities<Activities>(store);

/** A day: what is read may change without a word, as rules of time zones do, and a word may be lost. */
const lookAgainMsDefault = 24 * 60 * 60_000;

/**
 * Starts what the `cron` triggers of one AgentWorkflow ask for, for as long as it has any.
 *
 *   read what is due ─► a run for each Product ─► say what is next ─► sleep till then, or until something changed
 *        ▲                                                                │
 *        └────────────────────────────────────────────────────────────────┘
 */
export async function keepSchedule(input: KeepScheduleInput): Promise<void> {
  const { org, agentWorkflow, pace } = input;
  let { starting } = input;
  let changed = false;
  let plan: SchedulePlan | undefined;
  setHandler(scheduleChanged, () => void (changed = true));
  setHandler(next, () => ({ schedule: plan?.schedule, at: plan?.next }));

  for (;;) {
    // Before it is read: whatever is said from now on may be about what was not read.
    changed = false;
    plan = await readSchedule({ org, agentWorkflow, ...(starting && { starting }) });
    const { start } = plan;
    if (start) await startRuns(input, start);
    starting = start?.more ? { due: start.due, after: start.products.at(-1) ?? '' } : undefined;
    if (!starting) {
      await recordSchedule({ org, agentWorkflow, plan: shownOf(plan), ...(start && { started: start.due }) });
      setCurrentDetails(plan.schedule === undefined ? 'Nothing is scheduled any more.' : detailsOf(plan));
      if (plan.schedule === undefined && !changed) return;
    }
    // Runs that were begun here would tell their ends to this history.
    if (start || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof keepSchedule>({
        org,
        agentWorkflow,
        ...(starting && { starting }),
        ...(pace && { pace }),
      });
    await condition(() => changed, sleepMs(plan, pace?.lookAgainMs ?? lookAgainMsDefault));
  }
}

const shownOf = ({ schedule, next: at }: SchedulePlan): Pick<SchedulePlan, 'schedule' | 'next'> => ({
  ...(schedule !== undefined && { schedule }),
  ...(at !== undefined && { next: at }),
});

const detailsOf = ({ schedule, next: at }: SchedulePlan): string =>
  `${schedule}${at === undefined ? '' : `, next at **${at}**`}`;

const sleepMs = ({ now, next: at }: SchedulePlan, lookAgainMs: number): number =>
  at === undefined ? lookAgainMs : Math.min(Date.parse(at) - Date.parse(now), lookAgainMs);

async function startRuns(
  { org, agentWorkflow }: KeepScheduleInput,
  { due, products }: { due: string; products: string[] },
): Promise<void> {
  await Promise.all(
    products.map(async (product) => {
      const run: RunAgentWorkflowInput = { org, agentWorkflow, product, startedBy: 'schedule', requestId: due };
      await startApart<typeof runAgentWorkflow>('runAgentWorkflow', {
        workflowId: runAgentWorkflowId(run),
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        args: [run],
        typedSearchAttributes: searchAttributes({ org, product, targetKind: 'schedule' }),
        ...runSummary(run),
      });
    }),
  );
}
