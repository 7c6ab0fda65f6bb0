import { expect, it } from 'vitest';
import { isSessionIdle, sessionTtlMs } from '../../../src/rules/access/session-lifetime.ts';

const hourMs = 60 * 60_000;
const startedAt = Date.parse('2027-01-01T00:00:00Z');
const expiresAt = new Date(startedAt + sessionTtlMs).toISOString();
const isIdleAt = (hours: number, lastUsedHours?: number): boolean => {
  const lastUsedAt =
    lastUsedHours === undefined ? undefined : new Date(startedAt + lastUsedHours * hourMs).toISOString();
  return isSessionIdle({ expiresAt, lastUsedAt }, new Date(startedAt + hours * hourMs));
};

it('calls a session idle two hours after its last use, or after the sign-in', () => {
  expect([isIdleAt(1.9), isIdleAt(2)]).toEqual([false, true]);
  expect([isIdleAt(6.9, 5), isIdleAt(7, 5)]).toEqual([false, true]);
});
