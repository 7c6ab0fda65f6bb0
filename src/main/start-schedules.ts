import { AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { isScheduled } from '../rules/scheduling/crons-of.ts';
import { orgNamespace } from '../rules/resource.ts';
import { wakeSchedule } from '../../workflows/scheduling/messages.ts';
import type { Connections } from './connect.ts';

const atOnceMax = 20;

/** Sees to it that every schedule in the store has its loop, and that the loop knows it as it is: a word to it may have been lost. */
export async function startSchedules({ store, temporal }: Pick<Connections, 'store' | 'temporal'>): Promise<void> {
  const { items } = await store.list(AgentWorkflowKind);
  const scheduled = items.filter(({ spec }) => isScheduled(spec));
  while (scheduled.length > 0)
    await Promise.all(
      scheduled.splice(0, atOnceMax).map(async ({ metadata }) => {
        const input = { org: metadata.namespace.slice(orgNamespace('').length), agentWorkflow: metadata.name };
        await temporal.workflow.signalWithStart('keepSchedule', wakeSchedule(input));
      }),
    );
}
