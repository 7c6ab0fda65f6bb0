import type { Client } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { runScheduleStart, scheduleChangedSignal } from '../../workflows/scheduling/messages.ts';
import { callWorkflow } from '../integrations/temporal/call-workflow.ts';
import { AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import { isScheduled } from '../rules/scheduling/list-crons.ts';
import type { ReconcileDeps } from './deps.ts';

/** Signals the schedules of AgentWorkflows to read their settings again, starting a schedule that is not running. */
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

export async function wakeOrgSchedules(
  { store, temporal }: Pick<ReconcileDeps, 'store' | 'temporal'>,
  org: string,
): Promise<void> {
  const { items } = await store.list(AgentWorkflowKind, { namespace: orgNamespace(org) });
  const scheduled = items.filter(({ spec }) => isScheduled(spec)).map(({ metadata }) => metadata.name);
  await wakeSchedules(temporal, org, scheduled);
}
