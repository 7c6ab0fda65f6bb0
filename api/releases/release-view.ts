import { ServiceError } from '../../src/errors.ts';
import { isReleaseOver, releaseActions } from '../../src/rules/access/release-actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { viewOf } from '../views.ts';

export const releaseView = (release: Release, role: OrgRole | undefined) =>
  viewOf(release, release.metadata.namespace.slice(orgNamespace('').length), releaseActions(release, role));

export const getReleaseOf = async (store: Store, { org, name }: { org: string; name: string }): Promise<Release> =>
  store.get(ReleaseKind, { namespace: orgNamespace(org), name });

export function refuseOver(release: Release): void {
  if (isReleaseOver(release))
    throw new ServiceError(
      'conflict',
      `The Release "${release.metadata.name}" is already ${release.status?.phase}: there is nothing to decide any more.`,
    );
}
