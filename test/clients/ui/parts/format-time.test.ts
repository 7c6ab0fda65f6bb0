import { expect, it } from 'vitest';
import { formatTime } from '../../../../src/clients/ui/parts/format-time.ts';

const now = new Date();

it('names the year of a time in another year, such as that of a token which expires on this day next year', () => {
  const at = new Date(now);
  at.setFullYear(now.getFullYear() + 1);
  expect(formatTime(at.toISOString())).toMatch(
    new RegExp(`^\\d+ [A-Z][a-z]+ ${now.getFullYear() + 1}, \\d\\d:\\d\\d$`),
  );
});

it('names the day of a time in this year, unless it is today', () => {
  expect(formatTime(now.toISOString())).toMatch(/^\d\d:\d\d$/);
  const other = new Date(now.getFullYear(), now.getMonth() === 0 ? 5 : 0, 3, 9, 30);
  expect(formatTime(other.toISOString())).toMatch(/^3 (Jan|Jun), 09:30$/);
});
