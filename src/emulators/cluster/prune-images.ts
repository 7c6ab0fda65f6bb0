import { type BuildRun, BuildRunKind } from '../../kinds/shipwright.ts';
import type { Store } from '../../store/store.ts';
import type { ImageStore } from './image-store.ts';

export type PruneDeps = {
  store: Pick<Store, 'list'>;
  images: Pick<ImageStore, 'listDigests' | 'remove'>;
  /** Returns the digests that zones run or are to run. */
  listUsedDigests: () => Promise<string[]>;
};

/** A zone can be rolled back to this many of the newest builds of its image. */
export const keptBuilds = 20;

/** Removes the images that no zone uses, of builds that were deleted or that many newer builds have replaced. */
export async function pruneImages({ store, images, listUsedDigests }: PruneDeps): Promise<void> {
  // The digests are listed first, because an image that is built meanwhile is not yet in the status of its build.
  const digests = await images.listDigests();
  const { items } = await store.list(BuildRunKind);
  const kept = new Set([...listNewestDigests(items), ...(await listUsedDigests())]);
  await images.remove(digests.filter((digest) => !kept.has(digest)));
}

function listNewestDigests(builds: readonly BuildRun[]): string[] {
  const byImage = Map.groupBy(builds, ({ spec }) => spec.build.spec.output.image.replace(/:[^/]*$/, ''));
  const toTime = ({ status, metadata }: BuildRun): string => status?.completionTime ?? metadata.creationTimestamp;
  return [...byImage.values()].flatMap((ofImage) =>
    ofImage
      .filter(({ status }) => status?.output?.digest !== undefined)
      .toSorted((one, other) => toTime(other).localeCompare(toTime(one)))
      .slice(0, keptBuilds)
      .flatMap(({ status }) => status?.output?.digest ?? []),
  );
}
