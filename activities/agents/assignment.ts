import type { OpenNetwork } from '../../src/integrations/network/egress-proxy.ts';
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
  /** Commands may use the network, because installation, org and AgentRole allow it. */
  hasNetwork: boolean;
};

export async function getAssignment(
  deps: RunContextDeps & { openNetwork?: OpenNetwork },
  ref: { org: string; run: string; step: string },
): Promise<Assignment> {
  const context = await getRunContext(deps, ref);
  const step = context.run.spec.steps.find(({ name }) => name === ref.step);
  if (step?.type !== 'agent') throw invalid(`The run "${ref.run}" has no agent step "${ref.step}".`);
  const role = context.run.spec.roles[step.role];
  if (!role)
    throw invalid(`The run "${ref.run}" has no copy of the AgentRole "${step.role}" of its step "${ref.step}".`);
  const organization = await deps.store.find(OrganizationKind, { namespace: systemNamespace, name: ref.org });
  const orgLimits = organization?.spec.agents ?? {};
  const hasNetwork = deps.openNetwork !== undefined && orgLimits.allowNetwork === true && role.network === true;
  return { ...context, step, role, orgLimits, hasNetwork };
}

export const listAssignedTools = (assignment: Assignment): AgentTool[] =>
  listStepTools(assignment.step, { tools: assignment.role.tools, network: assignment.hasNetwork });
