import { expect, it } from 'vitest';
import { BackupName } from '../../../src/rules/backups/kinds.ts';
import { toBackupName } from '../../../src/rules/backups/to-backup-name.ts';

it('builds a valid name from the start of the backup', () => {
  const name = toBackupName(new Date('2026-01-01T12:00:00.123Z'), '1a2b3c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5d');
  expect(name).toBe('backup-20260101120000-1a2b3c4d');
  expect(BackupName.parse(name)).toBe(name);
});
