import type { SloMeasurement } from './kinds.ts';
import { requestsSeries, toRatioName } from './slo-labels.ts';

type Sample = { labels: Record<string, string>; value: number };

/** Picks the recorded values of one SLO in one zone out of those of a Product. */
export function toMeasurement(
  samples: readonly Sample[],
  { slo, zone, window }: { slo: string; zone: string; window: string },
): SloMeasurement & { requestsPerSecond?: number } {
  const own = samples.filter(({ labels }) => labels['slo'] === slo && labels['zone'] === zone);
  const find = (series: string): number | undefined => {
    const value = own.find(({ labels }) => labels['__name__'] === series)?.value;
    return value !== undefined && Number.isFinite(value) ? value : undefined;
  };
  const ratios = (['5m', '30m', '1h', '6h'] as const).flatMap((range) => {
    const ratio = find(toRatioName(range));
    return ratio === undefined ? [] : [[range, ratio] as const];
  });
  const windowRatio = find(toRatioName(window));
  const requests = find(requestsSeries);
  return {
    ratios: Object.fromEntries(ratios),
    ...(windowRatio !== undefined && { windowRatio }),
    ...(requests !== undefined && { requestsPerSecond: requests / 300 }),
  };
}
