import {
  condition,
  continueAsNew,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { SchedulePlan } from '../../activities/scheduling/scheduling-activities.ts';
import { scheduleStarter } from '../../src/rules/changes/run-names.ts';
import { storeOptions } from '../activity-options.ts';
import { runAgentWorkflowStart } from '../changes/messages.ts';
import { startDetached } from '../start-detached.ts';
import { type RunScheduleInput, nextScheduledQuery, scheduleChangedSignal } from './messages.ts';

const { readSchedule, recordSchedule } = proxyLocalActivities<Activities>(storeOptions);

/** A daily read covers lost signals, and changes that send none, such as new time zone rules. */
const defaultRereadIntervalMs = 24 * 60 * 60_000;
/** Runs count against the quota a moment after their start, and free it when they finish. */
const defaultQuotaIntervalMs = 60_000;

/**
 * Starts the runs of an AgentWorkflow's `cron` triggers, for as long as it has any.
 *
 *   read the due time ─► start a run per Product ─► record the next time ─► sleep until then, or until a change
 *        ▲                                                                     │
 *        └─────────────────────────────────────────────────────────────────────┘
 *
 * Runs beyond the quota of the org wait until others have finished.
 */
export async function runSchedule(input: RunScheduleInput): Promise<void> {
  const { org, agentWorkflow, intervals } = input;
  let { pendingStart } = input;
  let hasChanged = false;
  let plan: SchedulePlan | undefined;
  setHandler(scheduleChangedSignal, () => void (hasChanged = true));
  setHandler(nextScheduledQuery, () => ({ schedule: plan?.schedule, at: plan?.next }));

  for (;;) {
    // A signal that arrives during the read may announce a later write, so it is reset before the read.
    hasChanged = false;
    plan = await readSchedule({ org, agentWorkflow, ...(pendingStart && { pendingStart }) });
    const { start, retryAfterMs } = plan;
    if (start) await startScheduledRuns(input, start);
    const startedUntil = start?.products.at(-1) ?? pendingStart?.after ?? '';
    if (retryAfterMs === undefined) pendingStart = start?.more ? { due: start.due, after: startedUntil } : undefined;
    if (retryAfterMs === undefined && (!pendingStart || start?.isOverQuota)) {
      const started = !pendingStart && start && { started: start.due };
      await recordSchedule({ org, agentWorkflow, plan: toStoredPlan(plan), ...started });
      setCurrentDetails(plan.schedule === undefined ? 'No schedule.' : toDetails(plan));
      if (plan.schedule === undefined && !hasChanged) return;
    }
    if (start?.isOverQuota) await sleep(intervals?.quotaIntervalMs ?? defaultQuotaIntervalMs);
    // Started runs report their completion to this history, so each start continues as new.
    if (start || workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof runSchedule>({
        org,
        agentWorkflow,
        ...(pendingStart && { pendingStart }),
        ...(intervals && { intervals }),
      });
    await condition(() => hasChanged, msUntilNextRead(plan, intervals?.rereadIntervalMs ?? defaultRereadIntervalMs));
  }
}

const toStoredPlan = ({ schedule, next }: SchedulePlan): Pick<SchedulePlan, 'schedule' | 'next'> => ({
  ...(schedule !== undefined && { schedule }),
  ...(next !== undefined && { next }),
});

const toDetails = ({ schedule, next }: SchedulePlan): string =>
  `${schedule}${next === undefined ? '' : `, next at **${next}**`}`;

function msUntilNextRead({ now, next, retryAfterMs }: SchedulePlan, rereadIntervalMs: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs;
  return next === undefined ? rereadIntervalMs : Math.min(Date.parse(next) - Date.parse(now), rereadIntervalMs);
}

async function startScheduledRuns(
  { org, agentWorkflow }: RunScheduleInput,
  { due, products }: { due: string; products: string[] },
): Promise<void> {
  await Promise.all(
    products.map(async (product) => {
      const run = { org, agentWorkflow, product, startedBy: scheduleStarter, requestId: due };
      await startDetached(runAgentWorkflowStart(run));
    }),
  );
}
