import { expect, it } from 'vitest';
import { type Restore, RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { toLostRestoreStatus } from '../../../src/rules/backups/to-lost-restore-status.ts';

const [created, at] = ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00.000Z'];
const build = (status?: Restore['status']): Restore => ({
  apiVersion: RestoreKind.apiVersion,
  kind: RestoreKind.kind,
  metadata: {
    namespace: 'service-system',
    name: 'restore-1',
    uid: 'u1',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: created,
  },
  spec: { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' },
  ...(status && { status }),
});

it('fails a restore that has not finished, with a reason, and keeps what it has recorded', () => {
  const failed = {
    phase: 'Failed',
    finishedAt: at,
    failure: { reason: 'cancelled', resource: 'Restore restore-1', at },
  };
  expect(toLostRestoreStatus(build(), at)).toMatchObject({ ...failed, startedAt: created });
  const progress = { resources: 3, blobs: 0 };
  const status = { phase: 'Restoring' as const, startedAt: '2026-01-01T12:00:01Z', progress };
  expect(toLostRestoreStatus(build(status), at)).toMatchObject({ ...failed, startedAt: status.startedAt, progress });
});

it.each(['Succeeded', 'Failed'] as const)('leaves a restore alone that has %s', (phase) => {
  expect(toLostRestoreStatus(build({ phase, startedAt: created }), at)).toBeUndefined();
});
