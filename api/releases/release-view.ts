import { ServiceError } from '../../src/errors.ts';
import { isReleaseFinished, listZonesToApprove, releaseActions } from '../../src/rules/access/release-actions.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { Viewer } from '../auth/viewer.ts';
import { toView } from '../http/views.ts';
import { findSelfApproval } from '../orgs/find-self-approval.ts';
import { findReleaseContributors } from './find-contributors.ts';

export async function buildReleaseView(store: Store, release: Release, viewer: Viewer) {
  const isWaiting = listZonesToApprove(release).length > 0;
  const selfApproval = isWaiting
    ? await findSelfApproval(store, viewer, () => findReleaseContributors(store, viewer.org, release))
    : undefined;
  return toView(release, viewer.org, releaseActions(release, viewer.role, selfApproval));
}

export const getReleaseByName = async (store: Store, { org, name }: { org: string; name: string }): Promise<Release> =>
  store.get(ReleaseKind, { namespace: orgNamespace(org), name });

export function assertNotFinished(release: Release): void {
  if (isReleaseFinished(release))
    throw new ServiceError(
      'release-finished',
      `The Release "${release.metadata.name}" has already finished: its phase is ${release.status?.phase}.`,
    );
}
