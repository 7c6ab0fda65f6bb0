import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { restoreConfirmedSignal } from '../../../workflows/backups/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

import { createActivities, uniqueStart } from './restore-fixture.ts';

describeWithTemporal('restoreBackup', () => {
  it('writes nothing before a person has confirmed the plan', async () => {
    const { state, activities } = createActivities();
    await withWorkflowHarness(activities, async ({ start, callInputs }) => {
      const restore = await start(uniqueStart());
      await eventually(() => state.phases()).toEqual(['Ready']);
      expect(callInputs('beginRestore')).toEqual([]);
      await restore.signal(restoreConfirmedSignal);
      await restore.result();
      expect(state.phases()).toEqual(['Ready', 'Restarting', 'Succeeded']);
      expect(callInputs('restoreArchive')).toEqual([{ restore: 'restore-1' }]);
      expect(state.deletedKeys).toBe(1);
    });
  });

  it('fails when the plan is not confirmed in time, or another message claims that it is', async () => {
    const { state, activities } = createActivities();
    state.isConfirmed = false;
    await withWorkflowHarness(activities, async ({ start, callInputs }) => {
      await (await start(uniqueStart({ confirmationTimeoutMs: 1 }))).result();
      const forged = await start(uniqueStart());
      await forged.signal(restoreConfirmedSignal);
      await forged.result();
      expect(state.phases()).toEqual(['Ready', 'Failed', 'Ready', 'Failed']);
      expect(callInputs('restoreArchive')).toEqual([]);
      expect(state.deletedKeys).toBe(2);
    });
  });

  it('fails with the conflicts, and writes nothing', async () => {
    const { state, activities } = createActivities({ checkArchive: async () => ({ conflicts: 1 }) });
    await withWorkflowHarness(activities, async ({ start, callInputs }) => {
      await (await start(uniqueStart())).result();
      expect(state.patches).toMatchObject([{ phase: 'Failed', failure: { reason: 'restore-conflict' } }]);
      expect(callInputs('beginRestore')).toEqual([]);
      expect(state.deletedKeys).toBe(1);
    });
  });

  it.each([
    ['archive-refused', 'archive-refused'],
    ['recovery-key-wrong', 'archive-refused'],
    ['not-found', 'archive-refused'],
    ['unreadable', 'activity-failed'],
  ])('fails with what the check of the archive reports: %s', async (type, reason) => {
    const checkArchive = async () => await Promise.reject(ApplicationFailure.nonRetryable('It was cut off.', type));
    const { state, activities } = createActivities({ checkArchive });
    await withWorkflowHarness(activities, async ({ start }) => {
      await (await start(uniqueStart())).result();
      expect(state.patches).toMatchObject([{ phase: 'Failed', failure: { reason, message: 'It was cut off.' } }]);
      expect(state.deletedKeys).toBe(1);
    });
  });
});
