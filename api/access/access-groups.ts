import { hash, randomUUID } from 'node:crypto';
import { ignoreNotFound, invalid, isServiceError, ServiceError } from '../../src/errors.ts';
import { AccessGroupKind, type AccessGroup, type AccessGroupSpec } from '../../src/rules/access/kinds.ts';
import { findOrgRole, resolveOrgRoles } from '../../src/rules/access/org-roles.ts';
import type { Caller } from '../../src/rules/access/roles.ts';
import { OrganizationKind, type Organization } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { withAcceptedSpec } from '../http/replace-spec.ts';
import type { Store } from '../../src/store/store.ts';
import { assertHeadersMatch, type Precondition } from '../http/preconditions.ts';
import { getOrganization } from '../orgs/org.ts';

/** Changes with each replacement of the groups, which are several objects and cannot be written at once. */
const replacementAnnotation = 'service.delivery/access-groups-replacement';

type AccessGroups = { groups: AccessGroupSpec[]; version: string };
type Replacement = {
  org: string;
  groups: AccessGroupSpec[];
  caller: Caller;
  /** The property of the request body that holds the groups. */
  field: string;
  precondition: Precondition;
};

export async function readAccessGroups(store: Store, org: string): Promise<AccessGroups> {
  const organization = await getOrganization(store, org);
  const groups = await listGroups(store, org);
  return { groups: groups.map(({ spec }) => spec), version: toVersion(organization, groups) };
}

/** Replaces all groups of the org, if they are still those that the caller read. */
export async function saveAccessGroups(store: Store, { org, groups, caller, field, precondition }: Replacement) {
  assertUniqueNames(groups, field);
  assertCallerStays(groups, caller, field);
  await claimReplacement(store, org, precondition);
  for (const spec of groups) await saveAccessGroup(store, org, spec);
  const removed = (await listGroups(store, org)).filter(
    ({ metadata }) => !groups.some(({ name }) => name === metadata.name),
  );
  for (const { metadata } of removed) await store.delete(AccessGroupKind, metadata).catch(ignoreNotFound);
  return await readAccessGroups(store, org);
}

const listGroups = async (store: Store, org: string): Promise<AccessGroup[]> =>
  (await store.list(AccessGroupKind, { namespace: orgNamespace(org) })).items;

/** Includes the versions of the groups, because a group can also be applied with kubectl. */
function toVersion({ metadata }: Organization, groups: readonly AccessGroup[]): string {
  const versions = groups.map((group) => [group.metadata.name, group.metadata.resourceVersion]);
  const replacement = metadata.annotations?.[replacementAnnotation] ?? '';
  return hash('sha256', JSON.stringify([replacement, versions]), 'base64url').slice(0, 22);
}

/** Gives the groups another version before any is written, so that of two concurrent replacements one is rejected. */
async function claimReplacement(store: Store, org: string, precondition: Precondition): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const organization = await getOrganization(store, org);
    assertCurrentGroups(org, toVersion(organization, await listGroups(store, org)), precondition);
    const annotations = { ...organization.metadata.annotations, [replacementAnnotation]: randomUUID() };
    try {
      await store.replace(OrganizationKind, { ...organization, metadata: { ...organization.metadata, annotations } });
      return;
    } catch (error) {
      // The org has other settings too, so the groups may still be the same.
      if (!isServiceError(error, 'conflict') || attempt === 5) throw error;
    }
  }
}

function assertCurrentGroups(org: string, version: string, precondition: Precondition): void {
  assertHeadersMatch(version, precondition);
  if (precondition.resourceVersion !== undefined && precondition.resourceVersion !== version)
    throw new ServiceError(
      'stale-version',
      `The access groups of "${org}" have changed since they were read. Read them again and repeat the change.`,
    );
}

function assertUniqueNames(groups: readonly AccessGroupSpec[], field: string): void {
  const duplicate = groups.findIndex(({ name }, index) => groups.findIndex((group) => group.name === name) < index);
  if (duplicate !== -1)
    throw invalid(`Two groups have the name "${groups[duplicate]?.name}".`, [
      { pointer: `/${field}/${duplicate}/name`, detail: 'is a duplicate' },
    ]);
}

/** An admin who is locked out cannot undo it; only another admin may take the role. */
function assertCallerStays(groups: readonly AccessGroupSpec[], caller: Caller, field: string): void {
  if (caller.platformAdmin || findOrgRole(resolveOrgRoles(groups.map((spec) => ({ spec }))), caller) === 'org-admin')
    return;
  throw invalid(
    `The groups would take your own role org-admin. Keep ${caller.email} in a group with the role org-admin, or let another admin remove you.`,
    [{ pointer: `/${field}`, detail: 'take the role org-admin from you' }],
  );
}

async function saveAccessGroup(store: Store, org: string, spec: AccessGroupSpec): Promise<void> {
  const metadata = { namespace: orgNamespace(org), name: spec.name };
  const existing = await store.find(AccessGroupKind, metadata);
  if (existing) await store.replace(AccessGroupKind, withAcceptedSpec(existing, spec));
  else await store.create(AccessGroupKind, { metadata, spec });
}
