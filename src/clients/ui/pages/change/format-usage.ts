import type { Step } from '../../api/types.ts';

export type Usage = NonNullable<Step['usage']>;

/** Formats a price; without prices of the model it is unknown, and with some it is only a lower bound. */
export const formatCost = ({ costMicroUsd, costUnknown }: Pick<Usage, 'costMicroUsd' | 'costUnknown'>): string =>
  costMicroUsd === undefined ? '–' : `${costUnknown ? '≥ ' : ''}$${(costMicroUsd / 1_000_000).toFixed(2)}`;

export const formatTokens = ({ inputTokens, outputTokens }: Usage): string =>
  (inputTokens + outputTokens).toLocaleString('en');

/** Adds what several steps used; undefined if none has used a model. */
export function sumUsage(steps: readonly Step[]): Usage | undefined {
  const all = steps.flatMap(({ usage }) => usage ?? []);
  if (all.length === 0) return undefined;
  const sum = (toValue: (usage: Usage) => number): number => all.reduce((total, usage) => total + toValue(usage), 0);
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cachedInputTokens: sum(({ cachedInputTokens = 0 }) => cachedInputTokens),
    ...(all.some(({ costMicroUsd }) => costMicroUsd !== undefined) && {
      costMicroUsd: sum(({ costMicroUsd = 0 }) => costMicroUsd),
    }),
    ...(all.some(({ seconds }) => seconds !== undefined) && { seconds: sum(({ seconds = 0 }) => seconds) }),
    ...(all.some(({ costUnknown }) => costUnknown) && { costUnknown: true as const }),
  };
}
