import { invalid, unlessGone } from '../../src/errors.ts';
import { AccessGroupKind, type AccessGroupSpec } from '../../src/rules/access/kinds.ts';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export async function readAccessGroups(store: Store, org: string): Promise<AccessGroupSpec[]> {
  await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  const { items } = await store.list(AccessGroupKind, { namespace: orgNamespace(org) });
  return items.map(({ spec }) => spec);
}

/** Makes the org's groups exactly these; `field` is where the body has them. */
export async function writeAccessGroups(
  store: Store,
  org: string,
  { groups, field }: { groups: AccessGroupSpec[]; field: string },
): Promise<void> {
  const twice = groups.findIndex(({ name }, index) => groups.findIndex((group) => group.name === name) < index);
  if (twice !== -1)
    throw invalid('Two groups have the same name.', [{ pointer: `/${field}/${twice}/name`, detail: 'is there twice' }]);
  await store.get(OrganizationKind, { namespace: systemNamespace, name: org });
  for (const spec of groups) await writeGroup(store, org, spec);
  const { items } = await store.list(AccessGroupKind, { namespace: orgNamespace(org) });
  const gone = items.filter(({ spec }) => !groups.some(({ name }) => name === spec.name));
  for (const { metadata } of gone) await store.delete(AccessGroupKind, metadata).catch(unlessGone);
}

async function writeGroup(store: Store, org: string, spec: AccessGroupSpec): Promise<void> {
  const metadata = { namespace: orgNamespace(org), name: spec.name };
  const existing = await store.find(AccessGroupKind, metadata);
  if (existing) await store.replace(AccessGroupKind, { ...existing, spec });
  else await store.create(AccessGroupKind, { metadata, spec });
}
