import { invalid } from '../../src/errors.ts';
import { AgentRoleKind, type AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { validateAgentWorkflow } from '../../src/rules/agents/validate-agent-workflow.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Refuses an AgentWorkflow that could not run with the AgentRoles of its org. */
export async function checkAgentWorkflow(store: Store, org: string, spec: AgentWorkflowSpec): Promise<void> {
  const { items } = await store.list(AgentRoleKind, { namespace: orgNamespace(org) });
  const errors = validateAgentWorkflow(spec, new Map(items.map((role) => [role.metadata.name, role.spec])));
  if (errors.length > 0)
    throw invalid(`The AgentWorkflow could not run: ${errors.map(({ detail }) => detail).join(' ')}`, errors);
}
