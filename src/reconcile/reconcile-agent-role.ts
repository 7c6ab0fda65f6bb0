import { AgentRoleKind, AgentRoleSpec, type AgentRole } from '../rules/agents/kinds.ts';
import { toOrgName } from '../rules/resource.ts';
import { assertValidAgentRole } from './assert-valid-agent-role.ts';
import type { ReconcileDeps } from './deps.ts';
import { assertValidName, parseSpec } from './parse-spec.ts';
import { reconcileSpec } from './reconcile-spec.ts';

/** Validates an AgentRole that was written to the store without the API. */
export async function reconcileAgentRole(deps: ReconcileDeps, role: AgentRole): Promise<void> {
  const { name, namespace } = role.metadata;
  await reconcileSpec(deps, AgentRoleKind, role, {
    async assertValid() {
      assertValidName(AgentRoleKind, name);
      await assertValidAgentRole(deps, toOrgName(namespace), parseSpec(AgentRoleKind, AgentRoleSpec, role));
    },
  });
}
