import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { keepRepositoryAccessStart } from '../../../workflows/environments/messages.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

describeWithTemporal('keepRepositoryAccess', () => {
  it('refreshes in each interval, also after a failed refresh, until the org is disconnected', async () => {
    let refreshes = 0;
    const activities: Partial<Activities> = {
      refreshRepositoryAccess: async () => {
        refreshes += 1;
        if (refreshes === 2) throw new Error('The code host is away.');
        return refreshes < 4;
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const { taskQueue: org } = harness;
      await (await harness.start(keepRepositoryAccessStart({ org, intervalMs: 1 }))).result();
      expect(harness.callInputs('refreshRepositoryAccess')).toEqual(Array.from({ length: 4 }, () => ({ org })));
    });
  });
});
