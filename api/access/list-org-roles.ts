import { type Caller, findHighestRole, type OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { findMemberships } from './memberships.ts';

/** Lists the orgs in which the caller has a role, by name. */
export async function listOrgRoles(store: Store, caller: Caller): Promise<{ org: string; role: OrgRole }[]> {
  if (caller.platformAdmin) {
    const { items: orgs } = await cachedReads(store).list(OrganizationKind, { namespace: systemNamespace });
    return orgs.map(({ metadata }) => ({ org: metadata.name, role: caller.roleMax ?? 'org-admin' }));
  }
  const byOrg = Map.groupBy(await findMemberships(store, caller), ({ org }) => org);
  return [...byOrg].flatMap(([org, memberships]) => {
    const role = findHighestRole(memberships.map((membership) => membership.role));
    return role === undefined ? [] : [{ org, role }];
  });
}
