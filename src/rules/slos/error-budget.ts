const millionths = 1_000_000;

/** A burn alert compares two ratios with a multiple of the budget; the short window lets it clear soon. */
export const burnAlerts = {
  fast: { factor: 14.4, long: '1h', short: '5m', longSeconds: 3_600 },
  slow: { factor: 6, long: '6h', short: '30m', longSeconds: 21_600 },
} as const;
export type BurnAlert = keyof typeof burnAlerts;

/** The share of requests that may fail, times a factor. It counts in whole millionths, so that 99.9 % leaves exactly 0.001. */
export function toErrorThreshold(objective: string, factor = 1): number {
  const budgetParts = 100 * millionths - Math.round(Number(objective) * millionths);
  return (budgetParts * Math.round(factor * 10)) / (1_000 * millionths);
}

/** No more than all requests can fail, so a threshold of one or more is never exceeded. */
export const canFire = (objective: string, alert: BurnAlert): boolean =>
  toErrorThreshold(objective, burnAlerts[alert].factor) < 1;

/** Formats a share as a percentage without trailing zeros: `0.0144` is `1.44 %`. */
export const formatPercent = (share: number, digits = 6): string => `${Number((share * 100).toFixed(digits))} %`;
