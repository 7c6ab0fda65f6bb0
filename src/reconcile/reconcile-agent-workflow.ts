import { AgentWorkflowKind, AgentWorkflowSpec, type AgentWorkflow } from '../rules/agents/kinds.ts';
import { isApplyingInterrupted, isReconciled } from '../rules/conditions.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { triggersSinceAnnotation } from '../rules/intake/triggers-since.ts';
import { isDeleting, systemNamespace, toOrgName } from '../rules/resource.ts';
import { scheduleStartTimeAnnotation } from '../rules/scheduling/judge-schedule.ts';
import { rejectionMessage, saveAccepted, setAcceptedCondition } from './accepted-condition.ts';
import { finishApplying } from './applying-mark.ts';
import { assertValidAgentWorkflow } from './assert-valid-agent-workflow.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { wakeSchedules } from './wake-schedules.ts';

/** Validates an AgentWorkflow that was written to the store without the API, and marks it as accepted. Idempotent. */
export async function reconcileAgentWorkflow(deps: ReconcileDeps, workflow: AgentWorkflow): Promise<void> {
  const { metadata } = workflow;
  const org = toOrgName(metadata.namespace);
  if (isDeleting(workflow)) return;
  if (isReconciled(workflow))
    return isApplyingInterrupted(workflow, deps.now()) ? await applyAccepted(deps, workflow) : undefined;
  let spec: AgentWorkflowSpec;
  try {
    await deps.store.get(OrganizationKind, { namespace: systemNamespace, name: org });
    assertValidName(AgentWorkflowKind, metadata.name);
    spec = parseSpec(AgentWorkflowKind, AgentWorkflowSpec, workflow);
    await assertValidAgentWorkflow(deps.store, org, spec);
  } catch (error) {
    return await setAcceptedCondition(deps, AgentWorkflowKind, workflow, rejectionMessage(error));
  }
  const since = deps.now().toISOString();
  const annotations = { [scheduleStartTimeAnnotation]: since, [triggersSinceAnnotation]: since };
  const accepted = await saveAccepted(deps, AgentWorkflowKind, workflow, { spec, annotations });
  if (accepted) await applyAccepted(deps, accepted);
}

/** Signals the schedule; idempotent, so it is done again when it was interrupted. */
async function applyAccepted(deps: ReconcileDeps, workflow: AgentWorkflow): Promise<void> {
  const { name, namespace } = workflow.metadata;
  await finishApplying(deps.store, {
    kind: AgentWorkflowKind,
    object: workflow,
    async follow() {
      // An AgentWorkflow without a schedule is signalled as well, because its previous generation may have had one.
      await wakeSchedules(deps.temporal, toOrgName(namespace), [name]);
      await setAcceptedCondition(deps, AgentWorkflowKind, workflow);
    },
  });
}
