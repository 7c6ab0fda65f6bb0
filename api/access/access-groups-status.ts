import { UserKind } from '../../src/rules/access/kinds.ts';
import { toGroupKey } from '../../src/rules/access/provider-group.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { cachedReads } from '../../src/store/cached-reads.ts';
import { listValidGroups } from '../auth/list-valid-groups.ts';
import type { ApiDeps } from '../deps.ts';
import { getOrganization } from '../orgs/org.ts';
import { readCurrentGroups } from './read-current-groups.ts';

type Deps = Pick<ApiDeps, 'store' | 'now'>;

/** Resolves the members of each group to users. */
export async function readAccessGroupsStatus(deps: Deps, org: string) {
  const { store } = deps;
  await getOrganization(store, org);
  const groups = await listValidGroups(store, orgNamespace(org));
  const reads = cachedReads(store);
  const people = groups.some(({ spec }) => spec.providerGroups?.length)
    ? await readProviderPeople(deps)
    : new Map<string, string[]>();
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
      ...(group.spec.providerGroups && {
        providerGroups: group.spec.providerGroups.map((one) => ({ ...one, people: people.get(toGroupKey(one)) ?? [] })),
      }),
    })),
  );
}

/** Lists the addresses of the people in each group at an identity provider, as far as these have signed in. */
async function readProviderPeople(deps: Deps): Promise<Map<string, string[]>> {
  const [users, listGroups] = await Promise.all([
    cachedReads(deps.store).list(UserKind, { namespace: systemNamespace }),
    readCurrentGroups(deps),
  ]);
  const people = new Map<string, string[]>();
  for (const user of users.items)
    for (const key of listGroups(user).map(toGroupKey)) people.set(key, [...(people.get(key) ?? []), user.spec.email]);
  return people;
}
