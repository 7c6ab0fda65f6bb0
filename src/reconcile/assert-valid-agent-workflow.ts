import { invalid } from '../errors.ts';
import { AgentRoleKind, type AgentWorkflowSpec } from '../rules/agents/kinds.ts';
import { validateAgentWorkflow } from '../rules/agents/validate-agent-workflow.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** Throws when an AgentWorkflow cannot run with the AgentRoles of its org. */
export async function assertValidAgentWorkflow(store: Store, org: string, spec: AgentWorkflowSpec): Promise<void> {
  const { items } = await store.list(AgentRoleKind, { namespace: orgNamespace(org) });
  const errors = validateAgentWorkflow(spec, new Map(items.map((role) => [role.metadata.name, role.spec])));
  if (errors.length > 0)
    throw invalid(`The AgentWorkflow is invalid: ${errors.map(({ detail }) => detail).join(' ')}`, errors);
}
