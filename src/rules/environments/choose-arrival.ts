import { compareVersions } from '../releases/next-version.ts';

type Versioned = { release: string; version: string };
export type ArrivalChoice<T> = { take: T | undefined; superseded: T[] };

/** Of the Releases at a zone's door the newest goes in, unless something newer runs there already; the others are superseded. */
export function chooseArrival<T extends Versioned>(waiting: T[], running: Versioned | undefined): ArrivalChoice<T> {
  const newest = waiting.toSorted((left, right) => compareVersions(right.version, left.version))[0];
  if (!newest) return { take: undefined, superseded: [] };
  // A zone never goes backwards by itself; the version it runs may be brought in again.
  const backwards = running !== undefined && compareVersions(newest.version, running.version) < 0;
  return backwards
    ? { take: undefined, superseded: waiting }
    : { take: newest, superseded: waiting.filter((one) => one !== newest) };
}
