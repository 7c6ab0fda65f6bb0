import { AgentWorkflowKind } from '../../rules/agents/kinds.ts';
import { isScheduled } from '../../rules/scheduling/list-crons.ts';
import { toOrgName } from '../../rules/resource.ts';
import { runScheduleStart, scheduleChangedSignal } from '../../../workflows/scheduling/messages.ts';
import type { Connections } from '../wiring/open-connections.ts';

const maxConcurrentStarts = 20;

/** Starts or signals the workflow of every schedule in the store, in case an earlier start or signal was lost. */
export async function startSchedules({ store, temporal }: Pick<Connections, 'store' | 'temporal'>): Promise<void> {
  const { items } = await store.list(AgentWorkflowKind);
  const scheduled = items.filter(({ spec }) => isScheduled(spec));
  while (scheduled.length > 0)
    await Promise.all(
      scheduled.splice(0, maxConcurrentStarts).map(async ({ metadata }) => {
        const input = { org: toOrgName(metadata.namespace), agentWorkflow: metadata.name };
        const { type, options } = runScheduleStart(input);
        await temporal.workflow.signalWithStart(type, { ...options, signal: scheduleChangedSignal });
      }),
    );
}
