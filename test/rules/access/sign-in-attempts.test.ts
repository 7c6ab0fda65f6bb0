import { expect, it } from 'vitest';
import {
  addAttempt,
  assertAttemptAllowed,
  readAttempts,
  toAttemptsData,
} from '../../../src/rules/access/sign-in-attempts.ts';
import { signInWindowMs } from '../../../src/rules/access/sign-in-throttle.ts';

const limit = { attemptsMax: 3 };

it('reads what it has written, without the attempts that no longer count', () => {
  const data = toAttemptsData(
    new Map([
      ['one', [1, 5]],
      ['two', [2]],
      ['none', []],
    ]),
  );
  expect(data).toEqual({ one: '1,5', two: '2' });
  expect(readAttempts(data, 6)).toEqual(
    new Map([
      ['one', [1, 5]],
      ['two', [2]],
    ]),
  );
  expect(readAttempts(data, signInWindowMs + 2)).toEqual(new Map([['one', [5]]]));
  expect(readAttempts(undefined, 6)).toEqual(new Map());
});

it('drops the keys whose last attempts are the longest ago when there are too many', () => {
  const made = Array.from({ length: 200 }, (_, index): [string, number[]] => [`made-up-${index}`, [10 + index]]);
  const data = toAttemptsData(new Map([['first', [1, 500]], ['second', [2, 5]], ...made]));
  expect(Object.keys(data)).toHaveLength(200);
  expect(data).toMatchObject({ first: '1,500', 'made-up-199': '209', 'made-up-1': '11' });
  expect(data).not.toHaveProperty('second');
  expect(data).not.toHaveProperty('made-up-0');
});

it('refuses attempts beyond the limit, and says when the next one is allowed', () => {
  const refuse = (times: number[] | undefined) => () => assertAttemptAllowed(times, { limit, nowMs: 10, what: 'here' });
  for (const times of [undefined, [1, 2]]) expect(refuse(times)).not.toThrow();
  const details = { message: 'Too many attempts here. Wait, then try again.', retryAfterMs: signInWindowMs - 9 };
  expect(refuse([1, 2, 3])).toThrow(expect.objectContaining({ reason: 'sign-in-throttled', ...details }));
});

it('keeps as many attempts as the limit counts', () => {
  expect(addAttempt(undefined, limit, 4)).toEqual([4]);
  expect(addAttempt([1, 2, 3], limit, 4)).toEqual([2, 3, 4]);
});
