import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, proxyLocalActivities, startChild } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { store } from '../activity-options.ts';
import { searchAttributes } from '../search-attributes.ts';
import { type RouteDeliveryInput, runAgentWorkflowId, runSummary } from './messages.ts';
import type { runAgentWorkflow } from './run-agent-workflow.ts';

const { matchDelivery } = proxyLocalActivities<Activities>(store);

export type RoutedDelivery = { agentWorkflow: string; product?: string; started: boolean; reason?: string }[];

/** Starts what one delivery of the code host asks for; a target whose run is still going on starts nothing. */
export async function routeDelivery({ org, facts }: RouteDeliveryInput): Promise<RoutedDelivery> {
  const target = { repo: facts.repo, number: facts.number };
  const routed: RoutedDelivery = [];
  for (const match of await matchDelivery({ org, facts })) {
    const { agentWorkflow, product } = match;
    if (!match.starts || product === undefined) {
      routed.push({ agentWorkflow, started: false, reason: match.reason ?? 'no Product lists this repo' });
      continue;
    }
    const input = { org, agentWorkflow, product, target, startedBy: 'code host' };
    try {
      await startChild<typeof runAgentWorkflow>('runAgentWorkflow', {
        workflowId: runAgentWorkflowId(input),
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        typedSearchAttributes: searchAttributes({ org, product, targetKind: 'issue' }),
        ...runSummary(input),
      });
      routed.push({ agentWorkflow, product, started: true });
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      routed.push({ agentWorkflow, product, started: false, reason: 'a run for it is already going on' });
    }
  }
  return routed;
}
