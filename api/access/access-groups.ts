import { invalid, ignoreNotFound } from '../../src/errors.ts';
import { AccessGroupKind, type AccessGroupSpec } from '../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export async function listAccessGroups(store: Store, org: string): Promise<AccessGroupSpec[]> {
  await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  const { items } = await store.list(AccessGroupKind, { namespace: orgNamespace(org) });
  return items.map(({ spec }) => spec);
}

/** Replaces all groups of the org; `field` is the property of the request body that holds them. */
export async function saveAccessGroups(
  store: Store,
  org: string,
  { groups, field }: { groups: AccessGroupSpec[]; field: string },
): Promise<void> {
  const duplicate = groups.findIndex(({ name }, index) => groups.findIndex((group) => group.name === name) < index);
  if (duplicate !== -1)
    throw invalid(`Two groups have the name "${groups[duplicate]?.name}".`, [
      { pointer: `/${field}/${duplicate}/name`, detail: 'is a duplicate' },
    ]);
  await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  for (const spec of groups) await saveAccessGroup(store, org, spec);
  const { items } = await store.list(AccessGroupKind, { namespace: orgNamespace(org) });
  const removed = items.filter(({ spec }) => !groups.some(({ name }) => name === spec.name));
  for (const { metadata } of removed) await store.delete(AccessGroupKind, metadata).catch(ignoreNotFound);
}

async function saveAccessGroup(store: Store, org: string, spec: AccessGroupSpec): Promise<void> {
  const metadata = { namespace: orgNamespace(org), name: spec.name };
  const existing = await store.find(AccessGroupKind, metadata);
  if (existing) await store.replace(AccessGroupKind, { ...existing, spec });
  else await store.create(AccessGroupKind, { metadata, spec });
}
