import { compareVersions } from '../releases/next-version.ts';

type Versioned = { release: string; version: string };
export type PromotionSelection<T> = { selected: T | undefined; superseded: T[] };

/** Selects the newest waiting Release unless a newer one runs; all other waiting Releases are superseded. */
export function selectPromotion<T extends Versioned>(
  waiting: T[],
  running: Versioned | undefined,
): PromotionSelection<T> {
  const newest = waiting.toSorted((left, right) => compareVersions(right.version, left.version))[0];
  if (!newest) return { selected: undefined, superseded: [] };
  // Only a person can roll a zone back; promoting the running version again is allowed.
  const isRollback = running !== undefined && compareVersions(newest.version, running.version) < 0;
  return isRollback
    ? { selected: undefined, superseded: waiting }
    : { selected: newest, superseded: waiting.filter((one) => one !== newest) };
}
