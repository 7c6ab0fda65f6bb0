import { expect, it } from 'vitest';
import type { Client } from '@temporalio/client';
import { applyBackupSchedule } from '../../src/reconcile/apply-backup-schedule.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { backupSettingsRef } from '../../src/rules/backups/kinds.ts';
import { openTestStore } from '../support/open-test-store.ts';

it('fails when the server does not change the schedule', async () => {
  const store = openTestStore();
  const settings = { schedule: { cron: '30 3 * * *' } };
  await store.create(ConfigMapKind, { metadata: backupSettingsRef, data: { settings: JSON.stringify(settings) } });
  const handle = {
    describe: async () => ({ state: { note: '0 1 * * * (UTC)', paused: false } }),
    update: async () => {
      throw new Error('The update failed.');
    },
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    schedule: { getHandle: () => handle },
  } as unknown as Client;
  await expect(applyBackupSchedule({ store, temporal })).rejects.toThrow('The update failed.');
});
