import { ignoreAlreadyExists } from '../errors.ts';
import { defaultAgentWorkflows } from '../rules/agents/default-workflows.ts';
import { AgentWorkflowKind } from '../rules/agents/kinds.ts';
import { acceptedGenerationAnnotation } from '../rules/conditions.ts';
import { orgNamespace } from '../rules/resource.ts';
import { isScheduled } from '../rules/scheduling/list-crons.ts';
import type { Store } from '../store/store.ts';
import { createMissingRoles } from './create-missing-roles.ts';

/** The default AgentWorkflows that have a schedule. */
export const scheduledDefaults = Object.entries(defaultAgentWorkflows).flatMap(([name, spec]) =>
  isScheduled(spec) ? [name] : [],
);

/** Creates the default AgentRoles and AgentWorkflows that an org lacks. */
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
