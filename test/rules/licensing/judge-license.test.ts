import { expect, it } from 'vitest';
import { judgeLicense } from '../../../src/rules/licensing/judge-license.ts';
import { readLicense } from '../../../src/rules/licensing/read-license.ts';
import { issue, issuedAt, vendorKey } from './license-fixture.ts';

const holder = { id: 'lic-1', customer: 'Tidewater', plan: 'team', issuedAt: '2026-11-01T00:00:00.000Z' };
const expiresAt = '2026-12-31T00:00:00.000Z';
const judge = (license: string | undefined, at: string) =>
  judgeLicense(license === undefined ? undefined : readLicense(license, [vendorKey]), new Date(at));

it('says that an installation without a license is in evaluation', () => {
  const message = expect.stringContaining('Contact the vendor');
  expect(judge(undefined, '2026-11-24T00:00:00Z')).toEqual({ state: 'evaluation', message });
});

it('says why a license is invalid, and nothing of what it claims', () => {
  const changed = issue({ days: '60' }).slice(0, -2);
  const message = expect.stringMatching(/^The license is not complete.*Everything keeps running\.$/);
  expect(judge(changed, '2026-11-24T00:00:00Z')).toEqual({ state: 'invalid', message });
});

it.each([
  ['2026-11-24T00:00:00Z', 'licensed', `The license expires at ${expiresAt}.`],
  [
    '2026-12-02T00:00:01Z',
    'licensed',
    `The license expires in 28 days, at ${expiresAt}. Everything keeps running then.`,
  ],
  ['2026-12-29T12:00:00Z', 'licensed', `The license expires in 1 day, at ${expiresAt}. Everything keeps running then.`],
  [
    '2026-12-30T23:59:59Z',
    'licensed',
    `The license expires within a day, at ${expiresAt}. Everything keeps running then.`,
  ],
  ['2026-12-31T00:00:00Z', 'expired', `The license expired at ${expiresAt}. Everything keeps running.`],
  ['2036-01-01T00:00:00Z', 'expired', `The license expired at ${expiresAt}. Everything keeps running.`],
])('says at %s that a license of 60 days is %s', (at, state, message) => {
  const verdict = judge(issue({ days: '60', orgs: '3', clusters: '0' }), at);
  expect(verdict).toEqual({
    state,
    message: expect.stringContaining(message),
    ...holder,
    expiresAt,
    orgsMax: 3,
    clustersMax: 0,
  });
});

it('says that a license without a date never expires', () => {
  const verdict = judge(issue(), '2100-01-01T00:00:00Z');
  expect(verdict).toEqual({ state: 'licensed', message: 'The license never expires.', ...holder });
});

it('ignores the limits and the date of a skeleton license', () => {
  const verdict = judge(issue({ skeleton: true, days: '1', orgs: '1' }), '2100-01-01T00:00:00Z');
  expect(verdict).toEqual({ state: 'licensed', message: expect.stringContaining('no limits'), ...holder });
  expect(issuedAt.toISOString()).toBe(holder.issuedAt);
});
