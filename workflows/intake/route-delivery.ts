import { patched, proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryMatch } from '../../activities/intake.ts';
import { runName } from '../../src/rules/changes/run-names.ts';
import { causeOf } from '../../src/rules/intake/same-opening.ts';
import { store } from '../activity-options.ts';
import { runAgentWorkflowId, runSummary } from '../changes/messages.ts';
import type { runAgentWorkflow } from '../changes/run-agent-workflow.ts';
import { searchAttributes } from '../search-attributes.ts';
import { startApart } from '../start-apart.ts';
import type { RouteDeliveryInput } from './messages.ts';

const { matchDelivery, recordDelivery } = proxyLocalActivities<Activities>(store);

export type Routed = { agentWorkflow: string; run?: string; reason?: string };

/** Starts what one delivery of the code host asks for, and records what came of it for each AgentWorkflow. */
export async function routeDelivery({ org, delivery, facts }: RouteDeliveryInput): Promise<Routed[]> {
  const routed: Routed[] = [];
  for (const match of await matchDelivery({ org, facts })) routed.push(await route({ org, facts }, match));
  if (routed.length > 0 && patched('deliveries-are-recorded')) {
    const { workflowId: routing, startTime } = workflowInfo();
    await recordDelivery({ org, delivery, routing, facts, at: startTime.toISOString(), routed });
  }
  return routed;
}

/** A target whose run is still going on starts nothing: its id is taken. */
async function route(
  { org, facts }: Pick<RouteDeliveryInput, 'org' | 'facts'>,
  { agentWorkflow, product, starts, reason, repo = facts.repo }: DeliveryMatch,
): Promise<Routed> {
  if (!starts || product === undefined) return { agentWorkflow, reason: reason ?? 'no Product lists this repo' };
  const isPullRequest = facts.event === 'pull_request';
  const target = { repo, number: facts.number, ...(isPullRequest ? { kind: 'pull-request' as const } : {}) };
  const cause = causeOf(facts);
  const input = { org, agentWorkflow, product, target, startedBy: 'code host', ...(cause ? { cause } : {}) };
  const seed = await startApart<typeof runAgentWorkflow>('runAgentWorkflow', {
    workflowId: runAgentWorkflowId(input),
    args: [input],
    typedSearchAttributes: searchAttributes({ org, product, targetKind: target.kind ?? 'issue' }),
    ...runSummary(input),
  });
  if (seed === undefined) return { agentWorkflow, reason: 'a run for it is already going on' };
  return { agentWorkflow, run: runName({ agentWorkflow, product, target, seed }) };
}
