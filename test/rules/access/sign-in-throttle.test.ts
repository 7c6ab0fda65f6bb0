import { describe, expect, it } from 'vitest';
import { accountLimit, signInRetryDelayMs, signInWindowMs } from '../../../src/rules/access/sign-in-throttle.ts';

describe('attempts to sign in', () => {
  const attempts = Array.from({ length: accountLimit.attemptsMax }, (_, at) => at * 1000);

  it('are allowed up to ten times in a quarter of an hour', () => {
    expect(signInRetryDelayMs(attempts.slice(1), accountLimit, 10_000)).toBeUndefined();
    expect(signInRetryDelayMs(attempts, accountLimit, 10_000)).toBe(signInWindowMs - 10_000);
    expect(signInRetryDelayMs(attempts, accountLimit, signInWindowMs + 1)).toBeUndefined();
  });

  it('wait for the oldest of the latest ten attempts', () => {
    expect(signInRetryDelayMs([0, ...attempts.map((at) => at + 5_000)], accountLimit, 20_000)).toBe(
      signInWindowMs - 15_000,
    );
  });
});
