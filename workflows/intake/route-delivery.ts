import { proxyLocalActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import type { DeliveryMatch } from '../../activities/intake/intake-activities.ts';
import { codehostStarter, runName } from '../../src/rules/changes/run-names.ts';
import { ignored } from '../../src/rules/intake/ignored-reasons.ts';
import { toRunCause } from '../../src/rules/intake/to-run-cause.ts';
import { storeOptions } from '../activity-options.ts';
import { runAgentWorkflowStart } from '../changes/messages.ts';
import { startDetached } from '../start-detached.ts';
import type { RouteDeliveryInput, RoutingResult } from './messages.ts';

const { matchDelivery, recordDelivery } = proxyLocalActivities<Activities>(storeOptions);

/** Starts the runs that one code host event triggers, and records the result for each AgentWorkflow. */
export async function routeDelivery({
  org,
  deliveryId,
  facts,
  startedBy,
}: RouteDeliveryInput): Promise<RoutingResult[]> {
  const routed: RoutingResult[] = [];
  for (const match of await matchDelivery({ org, facts }))
    routed.push(await startMatchedRun({ org, facts, startedBy }, match));
  if (routed.length > 0) {
    const { workflowId, startTime } = workflowInfo();
    await recordDelivery({ org, deliveryId, workflowId, facts, at: startTime.toISOString(), routed });
  }
  return routed;
}

/** The workflow id belongs to the target, so a target with an open run starts no second one. */
async function startMatchedRun(
  {
    org,
    facts,
    startedBy = codehostStarter,
  }: Pick<RouteDeliveryInput, 'org' | 'facts'> & { startedBy: string | undefined },
  { agentWorkflow, product, starts, reason = 'product-not-found', message, repo = facts.repo }: DeliveryMatch,
): Promise<RoutingResult> {
  if (!starts || product === undefined) return { agentWorkflow, ...ignored(reason, message) };
  const isPullRequest = facts.event === 'pull_request';
  const target = { repo, number: facts.number, ...(isPullRequest ? { kind: 'pull-request' as const } : {}) };
  const cause = toRunCause(facts);
  const seed = await startDetached(
    runAgentWorkflowStart({
      org,
      agentWorkflow,
      product,
      target,
      startedBy,
      ...(cause ? { cause } : {}),
    }),
  );
  if (seed === undefined) return { agentWorkflow, ...ignored('run-in-progress') };
  return { agentWorkflow, run: runName({ agentWorkflow, product, target, seed }) };
}
