import type { ApiDeps } from '../../../api/deps.ts';
import { deriveArchiveKeys } from '../../../src/integrations/backups/recovery-key.ts';
import { SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { BackupKind, backupKeySecret, type BackupStatus, RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { systemNamespace as namespace } from '../../../src/rules/resource.ts';

const hourMs = 60 * 60_000;
const ago = (hours: number): string => new Date(Date.now() - hours * hourMs).toISOString();
const recoveryKey = 'AGE-SECRET-KEY-1T57QTEQRNZFKXFFJY46QYM8PJVDUSNTDQPNG3YQZYPH0UF6KTDLSGJS5H2';

/** Adds a recovery key, backups in each phase, an archive, and a restore that has ended. */
export async function seedBackups({ store, backups }: Pick<ApiDeps, 'store' | 'backups'>): Promise<void> {
  const { recipient, seal } = await deriveArchiveKeys(recoveryKey);
  const data = toSecretData({ recipient, seal: Buffer.from(seal).toString('base64') });
  await store.create(SecretKind, { metadata: backupKeySecret, data });
  const finished = { parts: 2, bytes: 48_300_000, sha256: 'f'.repeat(64), progress: { resources: 18_204, blobs: 961 } };
  const failure = {
    reason: 'activity-failed' as const,
    message: 'The bucket "backups" does not exist.',
    resource: 'Backup backup-20260103030000-1a2b3c4d',
    fix: 'Fix the error above, then start another backup.',
    at: ago(25),
  };
  const states: [day: string, startedBy: string, status: BackupStatus][] = [
    ['01', 'priya@example.com', { phase: 'Succeeded', startedAt: ago(73), finishedAt: ago(72.9), ...finished }],
    ['02', 'schedule', { phase: 'Succeeded', startedAt: ago(49), finishedAt: ago(48.9), ...finished }],
    ['03', 'schedule', { phase: 'Failed', startedAt: ago(25), finishedAt: ago(24.9), failure }],
  ];
  for (const [day, startedBy, status] of states) {
    const ref = { namespace, name: `backup-202601${day}030000-1a2b3c4d` };
    await store.create(BackupKind, { metadata: ref, spec: { startedBy } });
    await store.updateStatus(BackupKind, ref, () => status);
    if (status.phase === 'Succeeded') await backups.put(`${ref.name}/000001.age`, Buffer.from('encrypted'));
  }
  const ref = { namespace, name: 'restore-1a2b3c4d' };
  const backup = 'backup-20260101030000-1a2b3c4d';
  await store.create(RestoreKind, { metadata: ref, spec: { startedBy: 'priya@example.com', backup } });
  await store.updateStatus(RestoreKind, ref, () => ({
    phase: 'Succeeded' as const,
    startedAt: ago(60),
    finishedAt: ago(59.9),
    plan: {
      digest: 'd1',
      createdAt: ago(73),
      version: 'v1.0.0',
      orgs: ['acme'],
      contents: finished.progress,
      existing: 12,
    },
    progress: finished.progress,
    restarted: 50,
  }));
}
