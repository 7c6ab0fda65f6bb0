import { UserKind } from '../../src/rules/access/kinds.ts';
import { listOrgPeople, type OrgPerson } from '../../src/rules/access/list-org-people.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { listValidGroups } from '../auth/list-valid-groups.ts';
import type { ApiDeps } from '../deps.ts';
import { readCurrentGroups } from './read-current-groups.ts';

/** Reads everyone who has a role in an org. People of a provider group are known once they have signed in. */
export async function readOrgPeople(deps: Pick<ApiDeps, 'store' | 'now'>, org: string): Promise<OrgPerson[]> {
  const reads = cachedReads(deps.store);
  const [groups, users, listProviderGroups] = await Promise.all([
    listValidGroups(reads, orgNamespace(org)),
    reads.list(UserKind, { namespace: systemNamespace }),
    readCurrentGroups(deps),
  ]);
  return listOrgPeople({ groups, users: users.items, listProviderGroups });
}
