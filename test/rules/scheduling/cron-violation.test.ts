import { expect, it } from 'vitest';
import { cronViolation } from '../../../src/rules/scheduling/cron-violation.ts';

it.each([
  '* * * * *',
  '*/5 0-23/2 1,15 jan-mar,JUL mon-FRI',
  '59 23 31 12 7',
  '0 0 29 2 *',
  '0 0 31 2 MON',
  '05  09\t* * 0',
])('accepts "%s"', (cron) => expect(cronViolation(cron)).toBeUndefined());

it.each([
  ['', /five fields: minute, hour, day of month, month, day of week\. This one has 0/],
  ['  ', /This one has 0/],
  ['0 9 * *', /This one has 4/],
  ['0 0 9 * * *', /This one has 6/],
  ['@daily', /This one has 1/],
  ['TZ=UTC 0 9 * * *', /This one has 6/],
  ['60 * * * *', /^The minute must not be "60"\. It accepts 0-59/],
  ['1.5 * * * *', /^The minute/],
  ['-5 * * * *', /^The minute/],
  ['1,2, * * * *', /^The minute/],
  [',1 * * * *', /^The minute/],
  ['*/0 * * * *', /^The minute/],
  ['5/15 * * * *', /^The minute must not be "5\/15".*step/],
  ['* 24 * * *', /^The hour must not be "24"/],
  ['* 22-2 * * *', /^The hour must not be "22-2"/],
  ['* mon * * *', /^The hour/],
  ['0 0 0 * *', /^The day of month must not be "0"/],
  ['0 0 32 * *', /^The day of month/],
  ['0 0 L * *', /^The day of month must not be "L"/],
  ['0 0 15W * *', /^The day of month/],
  ['0 0 ? * *', /^The day of month must not be "\?"/],
  ['0 0 * 13 *', /^The month must not be "13"/],
  ['0 0 * january *', /^The month/],
  ['0 0 * * 8', /^The day of week must not be "8"/],
  ['0 0 * * 5#2', /^The day of week/],
  ['0 0 * * 5L', /^The day of week/],
  ['0 0 * * sunday', /^The day of week/],
  ['0 0 30 2 *', /^The day of month "30" does not occur in the months "2", so the schedule never matches/],
  ['0 0 31 4,6,9,11 *', /never matches/],
])('rejects "%s"', (cron, message) => expect(cronViolation(cron)).toMatch(message));

it('is fast for long inputs', () => {
  const before = process.threadCpuUsage();
  cronViolation(`${'1,'.repeat(95)}x * * * *`);
  cronViolation(`${'1-'.repeat(95)} * * * *`);
  expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
});
