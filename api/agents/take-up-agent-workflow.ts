import { isServiceError } from '../../src/errors.ts';
import { AgentWorkflowKind, AgentWorkflowSpec, type AgentWorkflow } from '../../src/rules/agents/kinds.ts';
import { orgOf } from '../../src/rules/resource.ts';
import { countsFromAnnotation } from '../../src/rules/scheduling/judge-schedule.ts';
import { isTakenUp, takenUpAnnotation } from '../../src/rules/taken-up.ts';
import { getOrganization } from '../catalog/org.ts';
import type { ApiDeps } from '../deps.ts';
import { isGoing, noteFinding, refusalIn } from '../note-finding.ts';
import { checkName, parseSpec } from '../parse-spec.ts';
import { wakeSchedules } from '../scheduling/wake-schedules.ts';
import { checkAgentWorkflow } from './check-agent-workflow.ts';

/** Takes up an AgentWorkflow that somebody wrote into the store without the API, as often as it is seen. */
export async function takeUpAgentWorkflow(deps: ApiDeps, workflow: AgentWorkflow): Promise<void> {
  const { metadata } = workflow;
  const org = orgOf(metadata.namespace);
  if (isGoing(workflow) || isTakenUp(workflow)) return;
  try {
    await getOrganization(deps.store, org);
    checkName(AgentWorkflowKind, metadata.name);
    await checkAgentWorkflow(deps.store, org, parseSpec(AgentWorkflowKind, AgentWorkflowSpec, workflow));
  } catch (error) {
    return await noteFinding(deps, AgentWorkflowKind, workflow, refusalIn(error));
  }
  const taken = { [takenUpAnnotation]: String(metadata.generation), [countsFromAnnotation]: deps.now().toISOString() };
  try {
    const annotations = { ...metadata.annotations, ...taken };
    await deps.store.replace(AgentWorkflowKind, { ...workflow, metadata: { ...metadata, annotations } });
  } catch (error) {
    // Somebody has changed it meanwhile, which is seen as well.
    if (isServiceError(error, 'conflict') || isServiceError(error, 'not-found')) return;
    throw error;
  }
  // Also one without a schedule: it may have had one.
  await wakeSchedules(deps.temporal, org, [metadata.name]);
  await noteFinding(deps, AgentWorkflowKind, workflow);
}
