import { expect, it } from 'vitest';
import { addUsage, noUsage } from '../../../src/rules/agents/usage.ts';
import type { Usage } from '../../../src/rules/changes/kinds.ts';

const tokens = { inputTokens: 10, outputTokens: 2 };

it.each<[string, Usage | undefined, Usage, Usage]>([
  ['without earlier usage', undefined, tokens, tokens],
  ['without optional fields', noUsage, tokens, tokens],
  [
    'with cached tokens and costs',
    { ...tokens, cachedInputTokens: 3 },
    { ...tokens, cachedInputTokens: 4, costMicroUsd: 5 },
    { inputTokens: 20, outputTokens: 4, cachedInputTokens: 7, costMicroUsd: 5 },
  ],
  [
    'with an unknown price on one side',
    { ...tokens, costUnknown: true },
    tokens,
    { inputTokens: 20, outputTokens: 4, costUnknown: true },
  ],
  [
    'with an unknown price on the other side',
    tokens,
    { ...tokens, costUnknown: true },
    { inputTokens: 20, outputTokens: 4, costUnknown: true },
  ],
])('adds usage %s', (_, one, other, expected) => {
  expect(addUsage(one, other)).toStrictEqual(expected);
});
