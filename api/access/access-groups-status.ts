import { AccessGroupKind, UserKind } from '../../src/rules/access/kinds.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrganization } from '../orgs/org.ts';

/** Resolves the members of each group to users. */
export async function readAccessGroupsStatus(store: Store, org: string) {
  await getOrganization(store, org);
  const { items: groups } = await store.list(AccessGroupKind, { namespace: orgNamespace(org) });
  const reads = cachedReads(store);
  return await Promise.all(
    groups.map(async (group) => ({
      name: group.metadata.name,
      role: group.spec.role,
      members: await Promise.all(
        group.spec.members.map(async (email) => ({
          email,
          isUser: (await reads.find(UserKind, { namespace: systemNamespace, name: userName(email) })) !== undefined,
        })),
      ),
    })),
  );
}
