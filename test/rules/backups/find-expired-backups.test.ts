import { expect, it } from 'vitest';
import { findExpiredBackups } from '../../../src/rules/backups/find-expired-backups.ts';
import type { Backup, BackupStatus, Restore, RestoreStatus } from '../../../src/rules/backups/kinds.ts';

const toBackup = (day: number, phase: BackupStatus['phase']) =>
  ({ metadata: { name: `backup-${day}` }, status: { phase, startedAt: `2026-01-1${day}T00:00:00.000Z` } }) as Backup;

it.each([
  ['the newest successful ones', ['Succeeded', 'Succeeded', 'Succeeded'], [0]],
  ['all while there are not more', ['Succeeded', 'Succeeded'], []],
  ['failed ones that are newer than the oldest that is kept', ['Failed', 'Succeeded', 'Failed', 'Succeeded'], [0]],
  ['one that is running', ['Running', 'Succeeded', 'Succeeded', 'Succeeded'], [1]],
  ['all while none has succeeded', ['Failed', 'Failed', 'Failed'], []],
] as const)('keeps %s', (_, phases, expired) => {
  const backups = phases.map((phase, day) => toBackup(day, phase));
  const found = findExpiredBackups(backups, [], { keepLast: 2 }).map(({ metadata }) => metadata.name);
  expect(found).toEqual(expired.map((day) => `backup-${day}`));
});

const toRestore = (hour: number, status: Partial<RestoreStatus>) =>
  ({
    metadata: { creationTimestamp: `2026-01-20T0${hour}:00:00.000Z` },
    spec: { backup: 'backup-0' },
    status: { startedAt: `2026-01-20T0${hour}:00:00.000Z`, ...status },
  }) as Restore;
const confirmed = { by: 'root@example.com', digest: 'x', at: '2026-01-20T00:00:00.000Z' };

it.each([
  ['keeps', 'is checked', [{ phase: 'Checking' }]],
  ['keeps', 'is written', [{ phase: 'Restoring', confirmed }]],
  ['keeps', 'failed while it was written', [{ phase: 'Failed', confirmed }]],
  ['expires', 'failed before it was confirmed', [{ phase: 'Failed' }]],
  [
    'keeps',
    'failed while it was written, before a check failed',
    [{ phase: 'Failed', confirmed }, { phase: 'Failed' }],
  ],
  ['expires', 'succeeded before a check failed', [{ phase: 'Succeeded', confirmed }, { phase: 'Failed' }]],
  ['expires', 'succeeded', [{ phase: 'Succeeded', confirmed }]],
  ['expires', 'succeeded after an attempt that failed', [{ phase: 'Failed', confirmed }, { phase: 'Succeeded' }]],
  ['keeps', 'failed after one that succeeded', [{ phase: 'Succeeded' }, { phase: 'Failed', confirmed }]],
] as const)('%s an old backup whose restore %s', (verb, _, statuses) => {
  const backups = [0, 1, 2].map((day) => toBackup(day, 'Succeeded'));
  const restores = statuses.map((status, hour) => toRestore(hour, status));
  const found = findExpiredBackups(backups, restores, { keepLast: 2 });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(verb === 'keeps' ? [] : ['backup-0']);
});
