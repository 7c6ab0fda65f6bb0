import { expect, it } from 'vitest';
import { backUpOnScheduleStart, backUpStart } from '../../../workflows/backups/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const uniqueStart = (name: string) => {
  const start = backUpOnScheduleStart();
  return { ...start, options: { ...start.options, workflowId: `back-up-on-schedule/${name}` } };
};

describeWithTemporal('backUpOnSchedule', () => {
  it('makes one backup and waits for it, but none while another is in progress', async () => {
    let finish = (): void => undefined;
    const written = new Promise<void>((resolve) => (finish = resolve));
    const activities = {
      openBackup: async () => {},
      writeBackup: async () => await written,
      recordBackup: async () => {},
      deleteExpiredBackups: async () => {},
    };
    await withWorkflowHarness(activities, async ({ start, callInputs, client }) => {
      const manual = await start(backUpStart({ backup: 'backup-20260101120000-1a2b3c4d', startedBy: 'ada' }));
      await eventually(() => callInputs('writeBackup').length).toBe(1);
      await (await start(uniqueStart('skipped'))).result();
      expect(callInputs('openBackup')).toHaveLength(1);
      finish();
      await manual.result();

      const scheduled = await start(uniqueStart('made'));
      await scheduled.result();
      expect((await client.workflow.getHandle('back-up').describe()).status.name).toBe('COMPLETED');
      expect(callInputs('openBackup')[1]).toMatchObject({
        backup: expect.stringMatching(/^backup-\d{14}-[0-9a-f]{8}$/),
        startedBy: 'schedule',
      });
    });
  });
});
