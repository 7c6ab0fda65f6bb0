import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { backUpStart } from '../../../workflows/backups/messages.ts';
import { backupsTaskQueue } from '../../../workflows/task-queues.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('proxyArchiveActivities', () => {
  it('runs what reads and writes archives on the queue of backups alone', async () => {
    const done = async () => {};
    const activities = { openBackup: done, writeBackup: done, recordBackup: done, deleteExpiredBackups: done };
    await withWorkflowHarness(activities, async ({ start, taskQueue }) => {
      const { type, options } = backUpStart({ backup: 'backup-1', startedBy: 'root@example.com' });
      const handle = await start({ type, options: { ...options, workflowId: `back-up/${randomUUID()}` } });
      await handle.result();
      const { events = [] } = await handle.fetchHistory();
      const queues = (events ?? []).flatMap(
        ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.taskQueue?.name ?? [],
      );
      expect(queues).toEqual(Array.from({ length: 4 }, () => backupsTaskQueue(taskQueue)));
    });
  });
});
