import { invalid } from '../errors.ts';
import type { AgentRoleSpec } from '../rules/agents/kinds.ts';
import { OrganizationKind } from '../rules/orgs/kinds.ts';
import { systemNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

/** Throws when an AgentRole requests network access that its org does not allow, instead of ignoring the request. */
export async function assertValidAgentRole(store: Store, org: string, { network }: AgentRoleSpec): Promise<void> {
  const { spec } = await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  if (!network || spec.agents?.allowNetwork) return;
  throw invalid(
    `The org "${org}" does not allow network access for its agents. An org admin can allow it with PUT /v1/orgs/${org}/agent-limits.`,
    [{ pointer: '/spec/network', detail: 'is not allowed by the org' }],
  );
}
