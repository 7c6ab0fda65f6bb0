import { isServiceError } from '../../src/errors.ts';
import { type BuildRun, BuildRunKind } from '../../src/kinds/shipwright.ts';
import type { Release } from '../../src/rules/releases/kinds.ts';
import { isOwnedBy } from '../../src/rules/resource.ts';
import type { Ref, Store } from '../../src/store/store.ts';

export type BuildOutcome = { outcome: 'built'; digest: string } | { outcome: 'failed'; reason: string; fix?: string };

/** Shipwright takes the name of a build as the value of a label. */
const nameLengthMax = 63;

/** Names the build of an attempt, whose id ends the name; the name of its Release may be as long as a name can be. */
export function toBuildName(release: string, attempt: string): string {
  const suffix = `-${attempt.slice(-8)}`;
  return release.slice(0, nameLengthMax - suffix.length).replace(/\.$/, '') + suffix;
}

/** Cancels the builds of a Release, because they would delay the builds of later ones. */
export async function cancelBuilds(store: Store, release: Release): Promise<void> {
  const { items } = await store.list(BuildRunKind, { namespace: release.metadata.namespace });
  for (const build of items.filter((one) => isOwnedBy(one, release))) await cancelBuild(store, build.metadata);
}

async function cancelBuild(store: Store, ref: Ref): Promise<void> {
  const build = await store.find(BuildRunKind, ref);
  if (!build || toBuildOutcome(build)) return;
  try {
    await store.replace(BuildRunKind, { ...build, spec: { ...build.spec, state: 'BuildRunCanceled' } });
  } catch (error) {
    // The builder has updated the status in between.
    if (!isServiceError(error, 'conflict')) throw error;
    await cancelBuild(store, ref);
  }
}

/** Returns the image repository of a build, whose tag is the version. */
export const toRepository = ({ spec }: BuildRun): string => spec.build.spec.output.image.replace(/:[^:/]*$/, '');

/** The builder writes the digest with the completion time, and never later. Zones run images by their digests only. */
const withoutDigest: BuildOutcome = {
  outcome: 'failed',
  reason: 'The build succeeded, but its strategy reported no digest of the image.',
  fix: 'Ask an operator to let the strategy of BUILD_STRATEGY write the result shp-image-digest, and start the Release again.',
};

/** Returns undefined while the build is in progress. */
export function toBuildOutcome({ status }: BuildRun): BuildOutcome | undefined {
  const succeeded = status?.conditions?.find(({ type }) => type === 'Succeeded');
  if (succeeded?.status === 'True' && status?.output?.digest) return { outcome: 'built', digest: status.output.digest };
  if (succeeded?.status === 'True' && status?.completionTime !== undefined) return withoutDigest;
  if (succeeded?.status !== 'False') return undefined;
  const reason =
    status?.failureDetails?.message ?? succeeded.message ?? succeeded.reason ?? 'the builder gave no reason';
  return { outcome: 'failed', reason };
}
