import { AccessGroupKind, UserKind } from '../../src/rules/access/kinds.ts';
import { IdentityProviderKind } from '../../src/rules/access/identity-provider.ts';
import type { ProviderGroup } from '../../src/rules/access/provider-group.ts';
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
  const people = groups.some(({ spec }) => spec.providerGroups?.length)
    ? await readProviderPeople(reads)
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
        providerGroups: group.spec.providerGroups.map((one) => ({ ...one, people: people.get(toKey(one)) ?? [] })),
      }),
    })),
  );
}

const toKey = ({ provider, group }: ProviderGroup): string => `${provider} ${group}`;

/** Lists the addresses of the people in each group at an identity provider, as far as these have signed in. */
async function readProviderPeople(reads: Store): Promise<Map<string, string[]>> {
  const [users, providers] = await Promise.all([
    reads.list(UserKind, { namespace: systemNamespace }),
    reads.list(IdentityProviderKind, { namespace: systemNamespace }),
  ]);
  const uids = new Set(providers.items.map(({ metadata }) => metadata.uid));
  const people = new Map<string, string[]>();
  for (const { spec, status } of users.items)
    for (const { provider, providerUid, groups } of status?.identities ?? [])
      for (const group of uids.has(providerUid) ? groups : []) {
        const key = toKey({ provider, group });
        people.set(key, [...(people.get(key) ?? []), spec.email]);
      }
  return people;
}
