import { expect, it } from 'vitest';
import { toTemporalCrons } from '../../../src/rules/backups/to-temporal-crons.ts';

it.each([
  [' 0  3 * * * ', ['0 3 * * *']],
  ['0 3 1 * *', ['0 3 1 * *']],
  ['0 3 * * FRI-SUN', ['0 3 * * FRI-7']],
  ['0 3 13 * sun,sat-sun/2', ['0 3 13 * *', '0 3 * * sun,sat-7/2']],
  ['0 3 */2 * MON', ['0 3 */2 * *', '0 3 * * MON']],
  ['0 3 31 4 */2', ['0 3 31 4 *', '0 3 * 4 */2']],
  ['0 3 13 * 5', ['0 3 13 * *', '0 3 * * 5']],
])('translates "%s"', (cron, expected) => {
  expect(toTemporalCrons(cron)).toEqual(expected);
});
