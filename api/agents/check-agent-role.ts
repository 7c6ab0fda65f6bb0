import { invalid } from '../../src/errors.ts';
import type { AgentRoleSpec } from '../../src/rules/agents/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrganization } from '../catalog/org.ts';

/** Refuses an AgentRole that asks for what its org does not allow: it would silently not get it. */
export async function checkAgentRole(store: Store, org: string, { network }: AgentRoleSpec): Promise<void> {
  const { spec } = await getOrganization(store, org);
  if (!network || spec.agents?.networkAllowed) return;
  throw invalid(
    `The org "${org}" does not allow its agents the network. An org-admin may, with PUT /v1/orgs/${org}/agent-limits.`,
    [{ pointer: '/spec/network', detail: 'is not allowed by the org' }],
  );
}
