import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { backUpStart } from '../../../workflows/backups/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const backup = 'backup-20260101120000-1a2b3c4d';

type Patch = Parameters<Activities['recordBackup']>[0]['patch'];

const uniqueStart = () => {
  const start = backUpStart({ backup, startedBy: 'root@example.com' });
  return { ...start, options: { ...start.options, workflowId: `back-up/${randomUUID()}` } };
};

function createActivities(writeBackup: Activities['writeBackup']) {
  const patches: Patch[] = [];
  const activities: Partial<Activities> = {
    openBackup: async () => {},
    writeBackup,
    recordBackup: async ({ patch }) => void patches.push(patch),
    deleteExpiredBackups: async () => {},
  };
  return { patches, activities };
}

describeWithTemporal('backUp', () => {
  it('deletes old backups only after a new one has succeeded', async () => {
    const { patches, activities } = createActivities(async () => {});
    await withWorkflowHarness(activities, async ({ start, calledActivities }) => {
      await (await start(uniqueStart())).result();
      expect(calledActivities()).toEqual(['openBackup', 'writeBackup', 'recordBackup', 'deleteExpiredBackups']);
      expect(patches).toEqual([{ phase: 'Succeeded', finishedAt: expect.any(String) }]);
    });
  });

  it('records why a backup failed, and deletes nothing', async () => {
    const failure = ApplicationFailure.nonRetryable('There is no key.', 'backup-key-missing');
    const { patches, activities } = createActivities(async () => await Promise.reject(failure));
    await withWorkflowHarness(activities, async ({ start, calledActivities }) => {
      await (await start(uniqueStart())).result();
      expect(patches).toMatchObject([{ phase: 'Failed', failure: { message: 'There is no key.' } }]);
      expect(calledActivities()).not.toContain('deleteExpiredBackups');
    });
  });
});
