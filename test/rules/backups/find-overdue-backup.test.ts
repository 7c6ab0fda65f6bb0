import { expect, it } from 'vitest';
import { findOverdueBackup } from '../../../src/rules/backups/find-overdue-backup.ts';
import type { Backup, BackupStatus } from '../../../src/rules/backups/kinds.ts';

const schedule = { cron: '0 3 * * *', timeZone: 'UTC', paused: false };
const toBackup = (phase: BackupStatus['phase'], startedAt: string) => ({ status: { phase, startedAt } }) as Backup;
const find = (now: string, { paused = false, backups = [] as Backup[], scheduledAt = '2026-01-10T12:00:00Z' } = {}) =>
  findOverdueBackup(
    { schedule: { ...schedule, paused }, scheduledAt: new Date(scheduledAt), backups },
    new Date(now),
  )?.toISOString();

it('finds the second time in a row without a successful backup', () => {
  expect(find('2026-01-12T02:59:59Z')).toBeUndefined();
  expect(find('2026-01-14T12:00:00Z')).toBe('2026-01-12T03:00:00.000Z');
  const failed = toBackup('Failed', '2026-01-12T03:00:00Z');
  const running = toBackup('Running', '2026-01-13T03:00:00Z');
  expect(find('2026-01-14T12:00:00Z', { backups: [failed, running] })).toBe('2026-01-12T03:00:00.000Z');
});

it('counts from the last success, and from the time at which backups were scheduled', () => {
  const backups = [toBackup('Succeeded', '2026-01-12T03:00:01Z')];
  expect(find('2026-01-13T12:00:00Z', { backups })).toBeUndefined();
  expect(find('2026-01-14T12:00:00Z', { backups })).toBe('2026-01-14T03:00:00.000Z');
  expect(find('2026-01-14T12:00:00Z', { backups, scheduledAt: '2026-01-14T00:00:00Z' })).toBeUndefined();
});

it('finds none without a schedule, or while it is paused', () => {
  expect(find('2026-02-01T00:00:00Z', { paused: true })).toBeUndefined();
  expect(findOverdueBackup({ schedule: undefined, scheduledAt: undefined, backups: [] }, new Date())).toBeUndefined();
});
