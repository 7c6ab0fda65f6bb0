const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const counts = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** Formats millionths of a US dollar; an amount below a cent is not shown as nothing. */
export function formatCost(microUsd: number): string {
  if (microUsd > 0 && microUsd < 10_000) return '< $0.01';
  return dollars.format(microUsd / 1_000_000);
}

/** Formats a large number with three digits at most: "1.2M". */
export const formatCount = (count: number): string => counts.format(count);
