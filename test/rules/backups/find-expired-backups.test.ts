import { expect, it } from 'vitest';
import { findExpiredBackups } from '../../../src/rules/backups/find-expired-backups.ts';
import type { Backup, BackupStatus } from '../../../src/rules/backups/kinds.ts';

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
  const found = findExpiredBackups(backups, { keepLast: 2 }).map(({ metadata }) => metadata.name);
  expect(found).toEqual(expired.map((day) => `backup-${day}`));
});
