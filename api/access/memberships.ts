import { isInGroup } from '../../src/rules/access/org-roles.ts';
import { type Caller, limitRole, type OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { listValidGroups } from '../auth/list-valid-groups.ts';

type Membership = { org: string; group: string; role: OrgRole };

/** Finds the groups of all orgs that the caller is in, with the role that each gives to this credential. */
export async function findMemberships(store: Store, caller: Caller): Promise<Membership[]> {
  const reads = cachedReads(store);
  const { items: orgs } = await reads.list(OrganizationKind, { namespace: systemNamespace });
  const own = (await listValidGroups(reads)).filter((group) => isInGroup(group, caller));
  const byNamespace = Map.groupBy(own, ({ metadata }) => metadata.namespace);
  return orgs.flatMap(({ metadata: { name: org } }) =>
    (byNamespace.get(orgNamespace(org)) ?? []).map(({ metadata, spec }) => ({
      org,
      group: metadata.name,
      role: limitRole(spec.role, caller.roleMax) ?? spec.role,
    })),
  );
}
