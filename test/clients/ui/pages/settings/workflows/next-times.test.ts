import { expect, it } from 'vitest';
import { formatInZone } from '../../../../../../src/clients/ui/pages/settings/workflows/format-in-zone.ts';
import { listNextTimes } from '../../../../../../src/clients/ui/pages/settings/workflows/next-times.ts';

const from = new Date('2026-11-23T02:50:00Z');

it('lists the next times of all schedules in the time zone, each once', () => {
  const times = listNextTimes(['0 6 * * 1', '0 6 * * *'], 'Europe/Berlin', from, 3);
  expect(times.map((time) => time.toISOString())).toEqual([
    '2026-11-23T05:00:00.000Z',
    '2026-11-24T05:00:00.000Z',
    '2026-11-25T05:00:00.000Z',
  ]);
  expect(times.map((time) => formatInZone(time, 'Europe/Berlin'))[0]).toBe('Mon 23 Nov, 06:00');
});

it('reads an empty time zone as UTC, and lists nothing for what is no schedule', () => {
  expect(listNextTimes(['30 3 * * *'], '', from, 1)).toEqual([new Date('2026-11-23T03:30:00Z')]);
  expect(listNextTimes(['every day'], 'UTC', from)).toEqual([]);
});
