import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { keepRepositoryAccessStart, refreshAccessSignal } from '../../../workflows/environments/messages.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

describeWithTemporal('keepRepositoryAccess', () => {
  it('refreshes in each interval, also after a failed refresh, until the org is disconnected', async () => {
    let refreshes = 0;
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {},
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

  it('refreshes the access to repos when that to registries is refused', async () => {
    let refreshes = 0;
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {
        throw ApplicationFailure.nonRetryable('The registry refuses the account.');
      },
      refreshRepositoryAccess: async () => (refreshes += 1) < 2,
    };
    await withWorkflowHarness(activities, async (harness) => {
      const { taskQueue: org } = harness;
      await (await harness.start(keepRepositoryAccessStart({ org, intervalMs: 1 }))).result();
      expect(harness.callInputs('refreshRegistryAccess')).toHaveLength(2);
      expect(refreshes).toBe(2);
    });
  });

  it('refreshes again after the code host has refused the application of the org', async () => {
    let refreshes = 0;
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {},
      refreshRepositoryAccess: async () => {
        refreshes += 1;
        if (refreshes === 1) throw ApplicationFailure.nonRetryable('The application is not installed.');
        return false;
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const { taskQueue: org } = harness;
      await (await harness.start(keepRepositoryAccessStart({ org, intervalMs: 1 }))).result();
      expect(refreshes).toBe(2);
    });
  });

  it('refreshes at once when it is signaled, also while a refresh runs', async () => {
    const running = Promise.withResolvers<void>();
    let isConnected = true;
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {},
      refreshRepositoryAccess: async () => {
        await running.promise;
        return isConnected;
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const { taskQueue: org } = harness;
      const refreshed = () => harness.callInputs('refreshRegistryAccess');
      const handle = await harness.start(keepRepositoryAccessStart({ org, intervalMs: 3_600_000 }));
      await expect.poll(() => harness.callInputs('refreshRepositoryAccess')).toHaveLength(1);
      await handle.signal(refreshAccessSignal);
      running.resolve();
      await expect.poll(refreshed).toHaveLength(2);
      await expect.poll(() => harness.callInputs('refreshRepositoryAccess')).toHaveLength(2);
      isConnected = false;
      await handle.signal(refreshAccessSignal);
      await handle.result();
      expect(refreshed()).toEqual(Array.from({ length: 3 }, () => ({ org })));
    });
  });

  it('refreshes again when the org is connected again during its last refresh', async () => {
    const running = Promise.withResolvers<void>();
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {},
      refreshRepositoryAccess: async () => {
        await running.promise;
        return false;
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const handle = await harness.start(keepRepositoryAccessStart({ org: harness.taskQueue, intervalMs: 1 }));
      await expect.poll(() => harness.callInputs('refreshRepositoryAccess')).toHaveLength(1);
      await handle.signal(refreshAccessSignal);
      running.resolve();
      await handle.result();
      expect(harness.callInputs('refreshRepositoryAccess')).toHaveLength(2);
    });
  });

  it('continues as new when its history is long, and keeps its interval', async () => {
    let isConnected = true;
    const activities: Partial<Activities> = {
      refreshRegistryAccess: async () => {},
      refreshRepositoryAccess: async () => isConnected,
    };
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      activities,
      async (harness) => {
        const handle = await harness.start(keepRepositoryAccessStart({ org: harness.taskQueue, intervalMs: 1 }));
        const latest = harness.client.workflow.getHandle(handle.workflowId);
        await expect.poll(async () => (await latest.describe()).runId).not.toBe(handle.firstExecutionRunId);
        const before = harness.callInputs('refreshRepositoryAccess').length;
        await expect.poll(() => harness.callInputs('refreshRepositoryAccess').length).toBeGreaterThan(before + 1);
        isConnected = false;
        await handle.result();
      },
      address,
    );
  });
});
