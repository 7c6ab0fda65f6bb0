import { invalid } from '../../src/errors.ts';
import type { AgentRoleSpec, AgentStep } from '../../src/rules/agents/kinds.ts';
import { type AgentTool, listStepTools } from '../../src/rules/agents/tools.ts';
import { type AgentLimits, OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { getRunContext, type RunContext, type RunContextDeps } from '../changes/run-context.ts';

/** The step of a run that one agent works on. */
export type Assignment = RunContext & {
  step: AgentStep;
  role: AgentRoleSpec;
  /** The org's current limits, which may differ from those at the start of the run. */
  orgLimits: AgentLimits;
};

export async function getAssignment(
  deps: RunContextDeps,
  ref: { org: string; run: string; step: string },
): Promise<Assignment> {
  const context = await getRunContext(deps, ref);
  const step = context.run.spec.steps.find(({ name }) => name === ref.step);
  if (step?.type !== 'agent') throw invalid(`The run "${ref.run}" has no agent step "${ref.step}".`);
  const role = context.run.spec.roles[step.role];
  if (!role)
    throw invalid(`The run "${ref.run}" has no copy of the AgentRole "${step.role}" of its step "${ref.step}".`);
  const organization = await deps.store.find(OrganizationKind, { namespace: systemNamespace, name: ref.org });
  return { ...context, step, role, orgLimits: organization?.spec.agents ?? {} };
}

/** Network access requires both: the AgentRole requests it, and the org allows it. */
export const hasNetwork = ({ role, orgLimits }: Assignment): boolean =>
  role.network === true && orgLimits.allowNetwork === true;

export const toolsFor = (assignment: Assignment): AgentTool[] =>
  listStepTools(assignment.step, { tools: assignment.role.tools, network: hasNetwork(assignment) });
