/** Returns the median; for an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number | undefined {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  const [lower, upper] = [sorted[middle - 1], sorted[middle]];
  if (upper === undefined) return undefined;
  return sorted.length % 2 === 0 && lower !== undefined ? (lower + upper) / 2 : upper;
}
