import { expect, it } from 'vitest';
import type { ConfigMap } from '../../../src/kinds/kubernetes.ts';
import {
  type BackupSettings,
  readBackupSettings,
  readScheduledAt,
  toSettingsData,
} from '../../../src/rules/backups/settings.ts';

const toStored = (settings: BackupSettings, stored: ConfigMap | undefined, now = '2026-01-01T00:00:00.000Z') =>
  ({ data: toSettingsData(settings, { stored, now: new Date(now) }) }) as ConfigMap;

it('returns what was saved, or else the defaults', () => {
  expect(readBackupSettings(undefined)).toEqual({ keepLast: 14 });
  expect(readBackupSettings(toStored({ keepLast: 3 }, undefined))).toEqual({ keepLast: 3 });
});

it('remembers since when a schedule applies, until it changes or is removed', () => {
  const schedule = { cron: '0 3 * * *', timeZone: 'UTC', paused: false };
  const first = toStored({ keepLast: 3, schedule }, undefined);
  const second = toStored({ keepLast: 4, schedule }, first, '2026-02-01T00:00:00.000Z');
  expect(readScheduledAt(second)).toEqual(new Date('2026-01-01T00:00:00.000Z'));
  const third = toStored(
    { keepLast: 4, schedule: { ...schedule, cron: '0 4 * * *' } },
    second,
    '2026-03-01T00:00:00.000Z',
  );
  expect(readScheduledAt(third)).toEqual(new Date('2026-03-01T00:00:00.000Z'));
  expect(readScheduledAt(toStored({ keepLast: 4 }, third))).toBeUndefined();
});
