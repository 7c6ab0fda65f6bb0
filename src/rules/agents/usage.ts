import { defined } from '../../defined.ts';
import type { Usage } from '../changes/kinds.ts';

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export const addUsage = (one: Usage | undefined, other: Usage): Usage => {
  const cached = (one?.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  const cost = (one?.costMicroUsd ?? 0) + (other.costMicroUsd ?? 0);
  const seconds = (one?.seconds ?? 0) + (other.seconds ?? 0);
  return defined({
    inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
    outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
    cachedInputTokens: cached > 0 ? cached : undefined,
    costMicroUsd: cost > 0 ? cost : undefined,
    seconds: seconds > 0 ? Math.round(seconds * 1000) / 1000 : undefined,
    costUnknown: one?.costUnknown ?? other.costUnknown,
  });
};
