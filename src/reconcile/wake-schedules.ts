import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { runScheduleStart, scheduleChangedSignal } from '../../workflows/scheduling/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';

/**
 * Signals the schedules of AgentWorkflows to read their settings again, starting a schedule that is not running. A signal
 * that is lost is repeated by the next request that saves the settings.
 */
export async function wakeSchedules(temporal: Client, org: string, agentWorkflows: readonly string[]): Promise<void> {
  await callWorkflow(temporal, async () =>
    Promise.all(
      agentWorkflows.map(async (agentWorkflow) => {
        const { type, options } = runScheduleStart({ org, agentWorkflow });
        return temporal.workflow.signalWithStart<Workflow>(type, { ...options, signal: scheduleChangedSignal });
      }),
    ),
  );
}
