import { expect, it } from 'vitest';
import { turnRetryDelayMs, type UnavailableTurn } from '../../../src/rules/agents/turn-retry.ts';

const listDelays = (turn: Omit<UnavailableTurn, 'attempt'>): number[] =>
  Array.from({ length: 100 }, (_, index) => turnRetryDelayMs({ ...turn, attempt: index + 1 })).flatMap(
    (delayMs) => delayMs ?? [],
  );

it('doubles the delay up to two minutes, and ends after half an hour', () => {
  const delays = listDelays({ reason: 'model-provider-unavailable' });
  expect(delays.slice(0, 8)).toEqual([1, 2, 4, 8, 16, 32, 64, 120].map((seconds) => seconds * 1000));
  const totalMinutes = delays.reduce((sum, delay) => sum + delay, 0) / 60_000;
  expect(totalMinutes).toBeGreaterThan(20);
  expect(totalMinutes).toBeLessThan(35);
});

it('ends soon without a sandbox, and waits as long as a provider demands', () => {
  expect(listDelays({ reason: 'sandbox-unavailable' })).toEqual([1_000, 2_000]);
  expect(turnRetryDelayMs({ attempt: 1, reason: 'model-provider-unavailable', retryAfterMs: 600_000 })).toBe(600_000);
});
