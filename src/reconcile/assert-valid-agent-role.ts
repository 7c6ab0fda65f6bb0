import { invalid } from '../errors.ts';
import type { AgentRoleSpec } from '../rules/agents/kinds.ts';
import { agentNetworkViolation } from '../rules/network/agent-network-violation.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import type { ReconcileDeps } from './deps.ts';

/** Throws when an AgentRole requests network access that is not allowed, instead of ignoring the request. */
export async function assertValidAgentRole(
  { store, config }: Pick<ReconcileDeps, 'store'> & { config: Pick<ReconcileDeps['config'], 'agentNetwork'> },
  org: string,
  { network }: AgentRoleSpec,
): Promise<void> {
  const { spec } = await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  if (!network) return;
  const violation = agentNetworkViolation(config.agentNetwork);
  if (violation !== undefined)
    throw invalid(violation, [{ pointer: '/spec/network', detail: 'is not allowed by the installation' }]);
  if (spec.agents?.allowNetwork) return;
  throw invalid(
    `The org "${org}" does not allow network access for its agents. An org admin can allow it (Settings, Models).`,
    [{ pointer: '/spec/network', detail: 'is not allowed by the org' }],
  );
}
