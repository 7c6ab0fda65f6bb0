import { ignoreAlreadyExists } from '../errors.ts';
import { defaultAgentWorkflows } from '../rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { acceptedGenerationAnnotation } from '../rules/conditions.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';
import { createMissingRoles } from './create-missing-roles.ts';

/** Creates the default AgentRoles and AgentWorkflows that an org lacks. None has a schedule that would have to be started. */
export async function seedOrg(store: Store, org: string): Promise<void> {
  for (const [name, spec] of Object.entries(defaultAgentWorkflows)) {
    await createMissingRoles(store, org, spec);
    await store
      .create(AgentWorkflowKind, {
        metadata: { namespace: orgNamespace(org), name, annotations: { [acceptedGenerationAnnotation]: '1' } },
        spec,
      })
      .catch(ignoreAlreadyExists);
  }
}
