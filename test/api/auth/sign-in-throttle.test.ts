import { expect, it } from 'vitest';
import { createSignInThrottle } from '../../../api/auth/sign-in-throttle.ts';
import { signInAttemptsMax } from '../../../src/rules/access/sign-in-throttle.ts';

it('rejects an attempt over the limit, and only for the same key', () => {
  const throttle = createSignInThrottle();
  for (let attempt = 0; attempt < signInAttemptsMax; attempt += 1) throttle.countAttempt('jo', attempt);
  expect(() => throttle.countAttempt('jo', 100)).toThrow('Too many attempts');
  expect(() => throttle.countAttempt('ada', 100)).not.toThrow();
});

it('forgets the attempts after a reset', () => {
  const throttle = createSignInThrottle();
  for (let attempt = 0; attempt < signInAttemptsMax; attempt += 1) throttle.countAttempt('jo', attempt);
  throttle.reset('jo');
  expect(() => throttle.countAttempt('jo', 100)).not.toThrow();
});
