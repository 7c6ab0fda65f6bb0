import { expect, it } from 'vitest';
import { createPollGuard } from '../../../api/device-sign-in/poll-guard.ts';

it('lets each tool poll once per interval, with a second of tolerance', () => {
  const { isTooSoon } = createPollGuard();
  expect([isTooSoon('one', 10_000), isTooSoon('other', 10_001)]).toEqual([false, false]);
  expect([isTooSoon('one', 13_999), isTooSoon('one', 17_999)]).toEqual([true, false]);
  expect(isTooSoon('other', 14_000)).toBe(true);
});
