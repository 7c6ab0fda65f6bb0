export const doraRatings = ['Elite', 'High', 'Medium', 'Low'] as const;
export type DoraRating = (typeof doraRatings)[number];
export type DoraMeasure = 'deploymentFrequency' | 'leadTime' | 'changeFailureRate' | 'timeToRestore';

/** The bands are clusters of one year's survey, and every year has others. */
export const bandsSource = {
  year: 2023,
  title: 'Accelerate State of DevOps Report 2023',
  url: 'https://dora.dev/research/2023/dora-report/',
};

const hour = 3_600;
const day = 24 * hour;
const week = 7 * day;
const month = 30 * day;

/**
 * The bounds of Elite, High and Medium. The report says "on demand" for Elite deployment frequency, which is read as one
 * deployment per working day, and "failure rate 5, 10 and 15 %" for the clusters, each of which is an upper bound here.
 */
const bands: Record<DoraMeasure, { isWithin: (value: number, bound: number) => boolean; bounds: number[] }> = {
  /** Deployments per week. */
  deploymentFrequency: { isWithin: (value, bound) => value >= bound, bounds: [5, 1, 7 / 30] },
  /** Seconds. */
  leadTime: { isWithin: (value, bound) => value < bound, bounds: [day, week, month] },
  /** Share of the deployments. */
  changeFailureRate: { isWithin: (value, bound) => value <= bound, bounds: [0.05, 0.1, 0.15] },
  /** Seconds. */
  timeToRestore: { isWithin: (value, bound) => value < bound, bounds: [hour, day, week] },
};

/** Returns the rating of a value, and none without a value: where nothing happened, nothing is bad. */
export function rateMeasure(measure: DoraMeasure, value: number | undefined): DoraRating | undefined {
  if (value === undefined) return undefined;
  const { isWithin, bounds } = bands[measure];
  return doraRatings[bounds.findIndex((bound) => isWithin(value, bound))] ?? 'Low';
}
