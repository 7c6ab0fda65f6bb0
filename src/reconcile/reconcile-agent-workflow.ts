import { isServiceError } from '../errors.ts';
import { AgentWorkflowKind, AgentWorkflowSpec, type AgentWorkflow } from '../rules/agents/kinds.ts';
import { acceptedGenerationAnnotation, isBeingApplied, isReconciled } from '../rules/conditions.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { isDeleting, systemNamespace, toOrgName } from '../rules/resource.ts';
import { scheduleStartTimeAnnotation } from '../rules/scheduling/judge-schedule.ts';
import { markApplying, rejectionMessage, setAcceptedCondition } from './accepted-condition.ts';
import { assertValidAgentWorkflow } from './assert-valid-agent-workflow.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { wakeSchedules } from './wake-schedules.ts';

/** Validates an AgentWorkflow that was written to the store without the API, and marks it as accepted. Idempotent. */
export async function reconcileAgentWorkflow(deps: ReconcileDeps, workflow: AgentWorkflow): Promise<void> {
  const { metadata } = workflow;
  const org = toOrgName(metadata.namespace);
  if (isDeleting(workflow)) return;
  if (isReconciled(workflow)) return isBeingApplied(workflow) ? await applyAccepted(deps, workflow) : undefined;
  try {
    await deps.store.get(OrganizationKind, { namespace: systemNamespace, name: org });
    assertValidName(AgentWorkflowKind, metadata.name);
    await assertValidAgentWorkflow(deps.store, org, parseSpec(AgentWorkflowKind, AgentWorkflowSpec, workflow));
  } catch (error) {
    return await setAcceptedCondition(deps, AgentWorkflowKind, workflow, rejectionMessage(error));
  }
  const marked = await markApplying(deps, AgentWorkflowKind, workflow);
  if (marked && (await saveAccepted(deps, marked))) await applyAccepted(deps, workflow);
}

/** Signals the schedule; idempotent, so it is done again when it was interrupted. */
async function applyAccepted(deps: ReconcileDeps, workflow: AgentWorkflow): Promise<void> {
  const { name, namespace } = workflow.metadata;
  // An AgentWorkflow without a schedule is signalled as well, because its previous generation may have had one.
  await wakeSchedules(deps.temporal, toOrgName(namespace), [name]);
  await setAcceptedCondition(deps, AgentWorkflowKind, workflow);
}

/** Returns false when the AgentWorkflow has changed in the meantime; the watch delivers that change too. */
async function saveAccepted(
  { store, now }: Pick<ReconcileDeps, 'store' | 'now'>,
  workflow: AgentWorkflow,
): Promise<boolean> {
  const { metadata } = workflow;
  const annotations = {
    ...metadata.annotations,
    [acceptedGenerationAnnotation]: String(metadata.generation),
    [scheduleStartTimeAnnotation]: now().toISOString(),
  };
  try {
    await store.replace(AgentWorkflowKind, { ...workflow, metadata: { ...metadata, annotations } });
    return true;
  } catch (error) {
    if (isServiceError(error, 'conflict') || isServiceError(error, 'not-found')) return false;
    throw error;
  }
}
