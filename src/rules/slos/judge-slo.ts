import { type BurnAlert, burnAlerts, toErrorThreshold } from './error-budget.ts';
import type { SloMeasurement, SloState } from './kinds.ts';

/** Returns which burn alert the error ratios of an SLO in a zone fire, if any. */
export function findBurn(objective: string, ratios: SloMeasurement['ratios']): BurnAlert | undefined {
  return (['fast', 'slow'] as const).find((alert) => {
    const { factor, long, short } = burnAlerts[alert];
    const threshold = toErrorThreshold(objective, factor);
    return (ratios[long] ?? 0) > threshold && (ratios[short] ?? 0) > threshold;
  });
}

export type SloVerdict = {
  state: SloState;
  /** The share of good requests in the window. */
  attainment?: number;
  /** The share of the error budget that is left; negative when more than all of it is spent. */
  budgetLeft?: number;
  burn1h?: number;
  burn6h?: number;
  message: string;
};

/** Decides the state of an SLO in a zone from its measured error ratios. */
export function judgeSlo(objective: string, { ratios, windowRatio }: SloMeasurement): SloVerdict {
  const budget = toErrorThreshold(objective);
  const burns = {
    ...(ratios['1h'] !== undefined && { burn1h: ratios['1h'] / budget }),
    ...(ratios['6h'] !== undefined && { burn6h: ratios['6h'] / budget }),
  };
  // The window is summed every five minutes, so a new SLO has burn rates before it has a window.
  const ratio = windowRatio ?? ratios['6h'];
  if (ratio === undefined) return { state: 'no-traffic', message: 'No requests were measured in the window.' };
  const budgetLeft = 1 - ratio / budget;
  const measured = { attainment: 1 - ratio, budgetLeft, ...burns };
  const burn = findBurn(objective, ratios);
  if (budgetLeft <= 0)
    return { state: 'spent', ...measured, message: 'More requests failed in the window than the objective allows.' };
  if (burn !== undefined) return { state: 'burning', ...measured, message: describeBurn(burn) };
  const message =
    ratios['6h'] === undefined
      ? 'No requests were measured in the last 6 hours: check that the zone is reached and its metrics are collected.'
      : 'Enough requests were good.';
  return { state: 'meeting', ...measured, message };
}

function describeBurn(burn: BurnAlert): string {
  const { factor, long, short } = burnAlerts[burn];
  return `The budget is spent more than ${factor} times too fast, in the last ${long} and the last ${short}.`;
}
