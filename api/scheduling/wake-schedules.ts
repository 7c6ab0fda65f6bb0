import type { Client } from '@temporalio/client';
import { wakeSchedule } from '../../workflows/scheduling/messages.ts';
import { speaking } from '../temporal.ts';

/** Has the schedules of AgentWorkflows read again what was written just before; what is lost here is made good by the same request again. */
export async function wakeSchedules(temporal: Client, org: string, agentWorkflows: readonly string[]): Promise<void> {
  await speaking(temporal, async () =>
    Promise.all(
      agentWorkflows.map(async (agentWorkflow) =>
        temporal.workflow.signalWithStart('keepSchedule', wakeSchedule({ org, agentWorkflow })),
      ),
    ),
  );
}
