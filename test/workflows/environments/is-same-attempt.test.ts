import { expect, it } from 'vitest';
import { isSameAttempt } from '../../../workflows/environments/is-same-attempt.ts';

it.each([
  [{ releaseAttempt: 'a', digest: '1' }, { releaseAttempt: 'a', digest: '2' }, true],
  [{ releaseAttempt: 'a', digest: '1' }, { releaseAttempt: 'b', digest: '1' }, false],
  [{ releaseAttempt: 'a', digest: '1' }, { digest: '1' }, true],
  [{ digest: '1' }, { releaseAttempt: 'a', digest: '2' }, false],
  [{ releaseAttempt: 'a' }, { digest: '1' }, false],
  [{ digest: '1' }, { digest: '1' }, true],
])('%j and %j → %s', (left, right, expected) => {
  expect(isSameAttempt(left, right)).toBe(expected);
});
