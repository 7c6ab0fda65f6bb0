import { expect, it } from 'vitest';
import { checkCron } from '../../../src/rules/scheduling/check-cron.ts';

it.each([
  '* * * * *',
  '*/5 0-23/2 1,15 jan-mar,JUL mon-FRI',
  '59 23 31 12 7',
  '0 0 29 2 *',
  '0 0 31 2 MON',
  '05  09\t* * 0',
])('takes "%s"', (cron) => expect(checkCron(cron)).toBeUndefined());

it.each([
  ['', /five fields: minute, hour, day of month, month, day of week\. This has 0/],
  ['0 9 * *', /This has 4/],
  ['0 0 9 * * *', /This has 6/],
  ['@daily', /This has 1/],
  ['TZ=UTC 0 9 * * *', /This has 6/],
  ['60 * * * *', /^The minute cannot be "60"\. It takes 0-59/],
  ['1.5 * * * *', /^The minute/],
  ['-5 * * * *', /^The minute/],
  ['1,2, * * * *', /^The minute/],
  [',1 * * * *', /^The minute/],
  ['*/0 * * * *', /^The minute/],
  ['5/15 * * * *', /^The minute cannot be "5\/15".*step/],
  ['* 24 * * *', /^The hour cannot be "24"/],
  ['* 22-2 * * *', /^The hour cannot be "22-2"/],
  ['* mon * * *', /^The hour/],
  ['0 0 0 * *', /^The day of month cannot be "0"/],
  ['0 0 32 * *', /^The day of month/],
  ['0 0 L * *', /^The day of month cannot be "L"/],
  ['0 0 15W * *', /^The day of month/],
  ['0 0 ? * *', /^The day of month cannot be "\?"/],
  ['0 0 * 13 *', /^The month cannot be "13"/],
  ['0 0 * january *', /^The month/],
  ['0 0 * * 8', /^The day of week cannot be "8"/],
  ['0 0 * * 5#2', /^The day of week/],
  ['0 0 * * 5L', /^The day of week/],
  ['0 0 * * sunday', /^The day of week/],
  ['0 0 30 2 *', /^The day of month "30" is in none of the months "2", so it never comes due/],
  ['0 0 31 4,6,9,11 *', /never comes due/],
])('refuses "%s"', (cron, why) => expect(checkCron(cron)).toMatch(why));

it('takes no time over what is long', () => {
  const began = performance.now();
  checkCron(`${'1,'.repeat(95)}x * * * *`);
  checkCron(`${'1-'.repeat(95)} * * * *`);
  expect(performance.now() - began).toBeLessThan(200);
});
