import { AccessGroupKind } from '../../src/rules/access/kinds.ts';
import { resolveOrgRole } from '../../src/rules/access/resolve-org-role.ts';
import { type Caller, limitRole, type OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Lists the orgs in which the caller has a role, by name. */
export async function listOrgRoles(store: Store, caller: Caller): Promise<{ org: string; role: OrgRole }[]> {
  const { platformAdmin, roleMax } = caller;
  const { items: orgs } = await store.list(OrganizationKind, { namespace: systemNamespace });
  const names = orgs.map(({ metadata }) => metadata.name);
  if (platformAdmin) return names.map((org) => ({ org, role: roleMax ?? 'org-admin' }));
  const { items: groups } = await store.list(AccessGroupKind);
  const byNamespace = Map.groupBy(groups, ({ metadata }) => metadata.namespace);
  return names.flatMap((org) => {
    const role = limitRole(resolveOrgRole(caller, byNamespace.get(orgNamespace(org)) ?? []), roleMax);
    return role === undefined ? [] : [{ org, role }];
  });
}
