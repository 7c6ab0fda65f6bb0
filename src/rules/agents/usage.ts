import type { Usage } from '../changes/kinds.ts';

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

export const addUsage = (one: Usage | undefined, other: Usage): Usage => {
  const cached = (one?.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  const cost = (one?.costMicroUsd ?? 0) + (other.costMicroUsd ?? 0);
  return {
    inputTokens: (one?.inputTokens ?? 0) + other.inputTokens,
    outputTokens: (one?.outputTokens ?? 0) + other.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(cost > 0 && { costMicroUsd: cost }),
    ...((one?.costUnknown || other.costUnknown) && { costUnknown: true as const }),
  };
};
