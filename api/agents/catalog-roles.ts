import { isServiceError } from '../../src/errors.ts';
import { catalogRoles } from '../../src/rules/agents/catalog.ts';
import { AgentRoleKind, type AgentWorkflowSpec } from '../../src/rules/agents/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Makes the AgentRoles that an AgentWorkflow of the catalog names; those that the org has stay as they are. */
export async function createRolesOf(store: Store, org: string, { steps }: AgentWorkflowSpec): Promise<void> {
  const names = new Set(steps.flatMap((step) => (step.type === 'agent' ? [step.role] : [])));
  for (const name of names) {
    const spec = catalogRoles[name];
    if (!spec) continue;
    await store.create(AgentRoleKind, { metadata: { namespace: orgNamespace(org), name }, spec }).catch(unlessThere);
  }
}

export function unlessThere(error: unknown): void {
  if (!isServiceError(error, 'conflict')) throw error;
}
