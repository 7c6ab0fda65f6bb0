import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { observeBackups } from '../../../src/main/operator-metrics/observe-backups.ts';
import { BackupKind, type BackupStatus, backupSettingsRef } from '../../../src/rules/backups/kinds.ts';
import { toSettingsData } from '../../../src/rules/backups/settings.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import { openTestStore } from '../../support/open-test-store.ts';

it('reports the last success, a failure after it, and a schedule that is not kept', async () => {
  const store = openTestStore();
  let now = new Date('2026-01-10T12:00:00Z');
  const registry = new Registry();
  observeBackups(registry, store, () => now);
  const addBackup = async (phase: BackupStatus['phase'], at: string): Promise<void> => {
    const ref = { namespace: systemNamespace, name: `backup-${at.slice(8, 10)}` };
    await store.create(BackupKind, { metadata: ref, spec: { startedBy: 'schedule' } });
    await store.updateStatus(BackupKind, ref, () => ({
      phase,
      startedAt: at,
      ...(phase !== 'Running' && { finishedAt: at }),
    }));
  };
  const schedule = { cron: '0 3 * * *', timeZone: 'UTC', paused: false };
  const data = toSettingsData({ keepLast: 1, schedule }, { stored: undefined, now });
  await store.create(ConfigMapKind, { metadata: backupSettingsRef, data });
  const empty = await registry.metrics();
  expect(empty).toContain('delivery_backup_failed 0');
  expect(empty).toContain('delivery_backup_overdue_seconds 0');
  expect(empty).toContain('delivery_backup_last_success_timestamp_seconds 0');

  await addBackup('Succeeded', '2026-01-11T03:00:00.000Z');
  await addBackup('Failed', '2026-01-12T03:00:00.000Z');
  await addBackup('Running', '2026-01-13T03:00:00.000Z');
  now = new Date('2026-01-13T03:01:00Z');
  const failed = await registry.metrics();
  expect(failed).toContain('delivery_backup_failed 1');
  expect(failed).toContain(`delivery_backup_last_success_timestamp_seconds ${Date.UTC(2026, 0, 11, 3) / 1000}`);
  expect(failed).toContain('delivery_backup_overdue_seconds 60');
});
