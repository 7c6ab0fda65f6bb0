import { expect, it } from 'vitest';
import { areGroupsExpired, isCheckDue } from '../../../src/rules/access/identity-freshness.ts';

const identity = {
  provider: 'sso',
  providerUid: 'one',
  groups: [],
  renewable: true,
  checkedAt: '2026-11-01T12:00:00.000Z',
};
const at = (time: string): Date => new Date(`2026-11-0${time}Z`);

it.each([
  ['before five minutes', {}, '1T12:04:59.999', false],
  ['after five minutes', {}, '1T12:05:00', true],
  ['without a refresh token', { renewable: false }, '1T23:00:00', false],
  ['less than a minute after an attempt', { attemptedAt: '2026-11-01T12:05:00.000Z' }, '1T12:05:59', false],
  ['a minute after an attempt', { attemptedAt: '2026-11-01T12:05:00.000Z' }, '1T12:06:00', true],
])('asks the provider again, or not: %s', (_, change, time, isDue) => {
  expect(isCheckDue({ ...identity, ...change }, at(time))).toBe(isDue);
});

it('lets groups expire twelve hours after the last answer', () => {
  expect([areGroupsExpired(identity, at('1T23:59:59')), areGroupsExpired(identity, at('2T00:00:00'))]).toEqual([
    false,
    true,
  ]);
});
