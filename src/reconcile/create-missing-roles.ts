import { ignoreAlreadyExists } from '../errors.ts';
import { defaultRoles } from '../rules/agents/default-workflows.ts';
import { AgentRoleKind, type AgentWorkflowSpec } from '../rules/agents/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** Creates the AgentRoles that a default AgentWorkflow names; existing AgentRoles of the org are not changed. */
export async function createMissingRoles(store: Store, org: string, { steps }: AgentWorkflowSpec): Promise<void> {
  const names = new Set(steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  for (const name of names) {
    const spec = defaultRoles[name];
    if (!spec) continue;
    await store
      .create(AgentRoleKind, { metadata: { namespace: orgNamespace(org), name }, spec })
      .catch(ignoreAlreadyExists);
  }
}
