import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { enqueueSignal, takeScreenshotStart } from '../../../workflows/environments/messages.ts';
import {
  ZoneFixture,
  buildPromotionRequest,
  createGate,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

async function startScreenshot(harness: WorkflowHarness, timeouts?: { scheduleToStartMs: number }) {
  const ref = { org: harness.taskQueue, product: 'hello', zone: 'hello-rc', release: 'hello-v0.1.0' };
  return { ref, handle: await harness.start(takeScreenshotStart({ ...ref, ...(timeouts && { timeouts }) })) };
}
const saveScreenshotPlaceholder = async () => ({ outcome: 'failed' }) as const;

describeWithTemporal('takeScreenshot', () => {
  it('captures the zone on a worker of the browser queue', async () => {
    const captureScreenshot = async () => ({ outcome: 'taken' }) as const;
    await withWorkflowHarness({ captureScreenshot }, async (harness) => {
      const { ref, handle } = await startScreenshot(harness);
      expect(await handle.result()).toEqual({ outcome: 'taken' });
      expect(harness.callInputs('captureScreenshot')).toEqual([ref]);
    });
  });

  it('saves a placeholder with the reason when no worker has a browser', async () => {
    await withWorkflowHarness({ saveScreenshotPlaceholder }, async (harness) => {
      const { ref, handle } = await startScreenshot(harness, { scheduleToStartMs: 200 });
      expect(await handle.result()).toEqual({ outcome: 'failed' });
      expect(harness.callInputs('saveScreenshotPlaceholder')).toEqual([
        { ...ref, reason: expect.stringContaining('No worker with a browser is running.') },
      ]);
    });
  });

  it('saves a placeholder with the reason when the capture fails', async () => {
    const captureScreenshot = async () => {
      throw ApplicationFailure.nonRetryable('The disk is full.');
    };
    await withWorkflowHarness({ captureScreenshot, saveScreenshotPlaceholder }, async (harness) => {
      const { handle } = await startScreenshot(harness);
      await handle.result();
      expect(harness.callInputs('saveScreenshotPlaceholder')).toMatchObject([
        { reason: expect.stringContaining('The disk is full.') },
      ]);
    });
  });

  it('blocks no promotion: the zone is verified without a browser, and promotes the next Release', async () => {
    const zone = new ZoneFixture();
    const { captureScreenshot: _, ...activities } = zone.activities;
    await withWorkflowHarness(activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      for (const version of ['v0.1.0', 'v0.2.0']) {
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest(version));
        await eventually(() => zone.phase(version)).toBe('Verified');
      }
    });
  });

  it('is taken of each image of a Release, although the browser is still busy with the one before', async () => {
    const zone = new ZoneFixture();
    const { opened, open } = createGate();
    const captureScreenshot = async () => {
      await opened;
      return { outcome: 'taken' } as const;
    };
    await withWorkflowHarness({ ...zone.activities, captureScreenshot }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const request = buildPromotionRequest('v0.1.0');
      for (const digest of ['sha256:1', 'sha256:2']) {
        await zoneWorkflow.signal(enqueueSignal, { ...request, digest, releaseAttempt: digest });
        await eventually(() => harness.callInputs('runSmokeCheck').length).toBe(digest === 'sha256:1' ? 1 : 2);
        await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      }
      await eventually(() => harness.callInputs('captureScreenshot')).toMatchObject([
        { digest: 'sha256:1' },
        { digest: 'sha256:2' },
      ]);
      open();
    });
  });

  it('starts once a Release is healthy, even when its smoke check fails, and not before', async () => {
    const zone = new ZoneFixture();
    let healthy = true;
    await withWorkflowHarness(
      {
        ...zone.activities,
        waitForZoneHealth: async () =>
          healthy
            ? { outcome: 'healthy', healthyAt: new Date().toISOString() }
            : { outcome: 'failed', message: 'It restarts.' },
        runSmokeCheck: async () => ({
          outcome: 'failed',
          message: 'It answered 500.',
          response: { url: 'http://hello-rc/' },
        }),
      },
      async (harness) => {
        const zoneWorkflow = await startZoneWorkflow(harness);
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
        await eventually(() => zone.phase('v0.1.0')).toBe('Failed');
        await eventually(() => harness.callInputs('captureScreenshot')).toMatchObject([
          { release: 'hello-v0.1.0', digest: 'sha256:v0.1.0' },
        ]);
        healthy = false;
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
        await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
        expect(harness.callInputs('captureScreenshot')).toHaveLength(1);
      },
    );
  });
});
