import { expect, it } from 'vitest';
import { BackupKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { endLostBackup } from '../../src/store/end-lost-backup.ts';
import { openTestStore } from '../support/open-test-store.ts';

const at = '2027-01-01T00:00:00.000Z';
const ref = { namespace: systemNamespace, name: 'backup-20260101120000-1a2b3c4d' };

it('fails a backup, keeps the result of one that has finished meanwhile, and accepts that one was deleted', async () => {
  const store = openTestStore();
  const backup = await store.create(BackupKind, { metadata: ref, spec: { startedBy: 'ada@example.com' } });
  await endLostBackup(store, backup, at);
  expect((await store.get(BackupKind, ref)).status).toMatchObject({ phase: 'Failed', finishedAt: at });
  await store.updateStatus(BackupKind, ref, () => ({ phase: 'Succeeded' as const, startedAt: at }));
  await endLostBackup(store, backup, at);
  expect((await store.get(BackupKind, ref)).status).toEqual({ phase: 'Succeeded', startedAt: at });
  await store.delete(BackupKind, ref);
  await endLostBackup(store, backup, at);
});
