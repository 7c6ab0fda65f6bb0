import { expect, it } from 'vitest';
import { enqueueSignal, removeZoneSignal } from '../../workflows/environments/messages.ts';
import { ReleaseFixture, startRelease } from '../support/workflows/release-fixture.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../support/workflows/with-workflow-harness.ts';
import { ZoneFixture, buildPromotionRequest, noReplyId, startZoneWorkflow } from '../support/workflows/zone-fixture.ts';

describeWithTemporal('signalIfRunning', () => {
  it('goes on when the workflow was never started, and when it has ended', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const ended = await startRelease(harness);
      await ended.terminate();
      const zoneWorkflow = await startZoneWorkflow(harness);
      for (const [version, replyTo] of [
        ['v0.1.0', noReplyId],
        ['v0.2.0', ended.workflowId],
      ] as const) {
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest(version, replyTo));
        await eventually(() => zone.phase(version)).toBe('Verified');
      }
      await zoneWorkflow.signal(removeZoneSignal, { by: 'ada', replyToWorkflowId: ended.workflowId });
      await zoneWorkflow.result();
    });
  });

  it('reaches a workflow that runs', async () => {
    const release = new ReleaseFixture();
    const readZone = async () => ({ requiresApproval: false, running: undefined });
    await withWorkflowHarness({ ...release.activities, readZone }, async (harness) => {
      // The Release ends only after each zone has signalled its outcome.
      await (await startRelease(harness)).result();
      expect(release.status.phase).toBe('Succeeded');
    });
  });
});
