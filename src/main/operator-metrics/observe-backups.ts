import type { Registry } from 'prom-client';
import { ConfigMapKind } from '../../kinds/kubernetes.ts';
import { findOverdueBackup } from '../../rules/backups/find-overdue-backup.ts';
import { type Backup, BackupKind, backupSettingsRef } from '../../rules/backups/kinds.ts';
import { readBackupSettings, readScheduledAt } from '../../rules/backups/settings.ts';
import { systemNamespace } from '../../rules/resource.ts';
import type { Store } from '../../store/store.ts';
import { registerGauges } from './register-gauges.ts';

const gauges = {
  delivery_backup_last_success_timestamp_seconds: {
    help: 'Start of the last backup that succeeded; 0 before the first',
    labelNames: [],
  },
  delivery_backup_failed: { help: 'Whether the last backup that finished has failed', labelNames: [] },
  delivery_backup_overdue_seconds: {
    help: 'Time since the schedule missed a second successful backup in a row; 0 if it did not',
    labelNames: [],
  },
};

/** Reports the state of backups. */
export function observeBackups(registry: Registry, store: Store, now: () => Date): void {
  registerGauges(registry, gauges, {
    source: 'backups',
    async read() {
      const { items: backups } = await store.list(BackupKind, { namespace: systemNamespace });
      const stored = await store.find(ConfigMapKind, backupSettingsRef);
      const { schedule } = readBackupSettings(stored);
      const at = now();
      const overdue = findOverdueBackup({ schedule, scheduledAt: readScheduledAt(stored), backups }, at);
      const finished = backups.filter(({ status }) => status?.finishedAt !== undefined).toSorted(byStart);
      const success = finished.findLast(({ status }) => status?.phase === 'Succeeded');
      return [
        { gauge: 'delivery_backup_failed', labels: {}, value: finished.at(-1)?.status?.phase === 'Failed' ? 1 : 0 },
        {
          gauge: 'delivery_backup_overdue_seconds',
          labels: {},
          value: overdue ? (at.getTime() - overdue.getTime()) / 1000 : 0,
        },
        {
          gauge: 'delivery_backup_last_success_timestamp_seconds',
          labels: {},
          value: success ? toStartMs(success) / 1000 : 0,
        },
      ];
    },
  });
}

const toStartMs = ({ status }: Backup): number => Date.parse(status?.startedAt ?? '');
const byStart = (one: Backup, other: Backup): number => toStartMs(one) - toStartMs(other);
