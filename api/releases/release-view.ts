import { ServiceError } from '../../src/errors.ts';
import { isReleaseFinished, releaseActions } from '../../src/rules/access/release-actions.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace, toOrgName } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { toView } from '../http/views.ts';

export const toReleaseView = (release: Release, role: OrgRole | undefined) =>
  toView(release, toOrgName(release.metadata.namespace), releaseActions(release, role));

export const getReleaseByName = async (store: Store, { org, name }: { org: string; name: string }): Promise<Release> =>
  store.get(ReleaseKind, { namespace: orgNamespace(org), name });

export function assertNotFinished(release: Release): void {
  if (isReleaseFinished(release))
    throw new ServiceError(
      'release-finished',
      `The Release "${release.metadata.name}" has already finished: its phase is ${release.status?.phase}.`,
    );
}
