import { describe, expect, it } from 'vitest';
import { type Backup, BackupKind, type Restore, RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { toLostStatus } from '../../../src/rules/backups/to-lost-status.ts';

const [created, at] = ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00.000Z'];
const { apiVersion } = BackupKind;
const metadata = {
  namespace: 'service-system',
  name: 'one',
  uid: 'u1',
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: created,
};
const startedBy = 'ada@example.com';

const buildBackup = (status?: Backup['status']): Backup => ({
  apiVersion,
  kind: BackupKind.kind,
  metadata,
  spec: { startedBy },
  ...(status && { status }),
});
const buildRestore = (status?: Restore['status']): Restore => ({
  apiVersion,
  kind: RestoreKind.kind,
  metadata,
  spec: { startedBy, backup: 'backup-20260101120000-1a2b3c4d' },
  ...(status && { status }),
});

const progress = { resources: 3, blobs: 0 };
const startedAt = '2026-01-01T12:00:01Z';
const failed = { phase: 'Failed', finishedAt: at };

describe('a restore', () => {
  it('fails with a reason if it has not finished, and keeps what it has recorded', () => {
    const failure = { reason: 'cancelled', message: 'The workflow of the restore was lost.', resource: 'Restore one' };
    expect(toLostStatus(buildRestore(), at)).toMatchObject({ ...failed, failure, startedAt: created });
    const status = { phase: 'Restoring' as const, startedAt, progress };
    expect(toLostStatus(buildRestore(status), at)).toMatchObject({ ...failed, failure, startedAt, progress });
  });

  it.each(['Succeeded', 'Failed'] as const)('stays as it is once it has %s', (phase) => {
    expect(toLostStatus(buildRestore({ phase, startedAt }), at)).toBeUndefined();
  });
});

describe('a backup', () => {
  it('fails with a reason if it has not finished, and keeps what it has recorded', () => {
    const failure = { reason: 'cancelled', message: 'The workflow of the backup was lost.', resource: 'Backup one' };
    expect(toLostStatus(buildBackup(), at)).toMatchObject({ ...failed, failure, startedAt: created });
    const status = { phase: 'Running' as const, startedAt, progress };
    expect(toLostStatus(buildBackup(status), at)).toMatchObject({ ...failed, failure, startedAt, progress });
  });

  it.each(['Succeeded', 'Failed'] as const)('stays as it is once it has %s', (phase) => {
    expect(toLostStatus(buildBackup({ phase, startedAt }), at)).toBeUndefined();
  });
});
