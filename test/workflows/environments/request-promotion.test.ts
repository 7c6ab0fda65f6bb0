import { fileURLToPath } from 'node:url';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { manageZoneId } from '../../../workflows/environments/messages.ts';
import { ReleaseFixture, startRelease } from '../../support/workflows/release-fixture.ts';
import { connectTemporal, describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { buildPromotionRequest, startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

describeWithTemporal('requestPromotion', () => {
  it('uses the workflow of a zone, or starts it, and leaves it running after the Release', async () => {
    const release = new ReleaseFixture();
    const readZone = async () => ({ requiresApproval: false, running: undefined });
    await withWorkflowHarness({ ...release.activities, readZone }, async (harness) => {
      const describeZone = async (zone: string) => {
        const workflowId = manageZoneId({ org: harness.taskQueue, product: 'hello', zone });
        const { runId, status } = await harness.client.workflow.getHandle(workflowId).describe();
        return { runId, status: status.name };
      };
      await startZoneWorkflow(harness, 'hello-rc');
      const before = await describeZone('hello-rc');
      await (await startRelease(harness)).result();
      expect(await describeZone('hello-rc')).toEqual(before);
      expect(await describeZone('hello-prod')).toMatchObject({ status: 'RUNNING' });
      expect(release.zones.phaseHistory.filter((phase) => phase === 'v0.1.0 Verified')).toHaveLength(2);
    });
  });

  it('returns once the workflow of the zone has received the request', async () => {
    const { client, connection, taskQueue, close } = await connectTemporal();
    const workflowsPath = fileURLToPath(new URL('request-promotion.fixture.ts', import.meta.url));
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
    const worker = await Worker.create({ connection, taskQueue, workflowBundle, shutdownGraceTime: 0 });
    await worker.runUntil(async () => {
      const ref = { org: taskQueue, product: 'hello', zone: 'hello-rc' };
      const workflowId = `${taskQueue}/request`;
      const args = [ref, buildPromotionRequest('v0.1.0')];
      const handle = await client.workflow.start('requestOnce', { taskQueue, workflowId, args });
      await handle.result();
      const { events } = await handle.fetchHistory();
      expect(events?.some((event) => event.externalWorkflowExecutionSignaledEventAttributes)).toBe(true);
      await client.workflow.getHandle(manageZoneId(ref)).terminate();
    });
    await close();
  });
});
