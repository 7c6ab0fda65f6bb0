import type { Lane, PromotionPart, ReleaseLane, RunLane } from './lanes.ts';
import { overlaps, type ActivityWindow } from './summarize-activity.ts';
import { withPromotions } from './to-release-lane.ts';

export type ActivityRecords = {
  runs: readonly RunLane[];
  releases: readonly ReleaseLane[];
  promotions: readonly PromotionPart[];
};

/** Returns the runs and Releases that were active in the window, the latest start first. */
export function listLanes(
  { runs, releases, promotions }: ActivityRecords,
  { window, product }: { window: ActivityWindow; product?: string | undefined },
): Lane[] {
  const isShown = (one: { product: string; from: number; to?: number }): boolean =>
    (product === undefined || one.product === product) && overlaps(one, window);
  const parts = Map.groupBy(promotions.filter(isShown), ({ release }) => release);
  const known = new Map(releases.filter((one) => isShown(one) || parts.has(one.name)).map((one) => [one.name, one]));
  const names = new Set([...known.keys(), ...parts.keys()]);
  const shown = [...names].flatMap((name) => withPromotions(known.get(name), parts.get(name) ?? []) ?? []);
  return [...runs.filter(isShown), ...shown].toSorted(
    (one, other) => other.from - one.from || one.name.localeCompare(other.name),
  );
}
