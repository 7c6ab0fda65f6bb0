import { fileURLToPath } from 'node:url';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { expect, it } from 'vitest';
import { enqueueSignal, removeZoneSignal } from '../../workflows/environments/messages.ts';
import { ReleaseFixture, startRelease } from '../support/workflows/release-fixture.ts';
import { connectTemporal, describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../support/workflows/with-workflow-harness.ts';
import { ZoneFixture, buildPromotionRequest, noReplyId, startZoneWorkflow } from '../support/workflows/zone-fixture.ts';

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

describeWithTemporal('signalIfRunning', () => {
  it('says whether the workflow received the signal, and fails for any other reason', async () => {
    const { client, connection, taskQueue, close } = await connectTemporal();
    const workflowsPath = fileURLToPath(new URL('signal-if-running.fixture.ts', import.meta.url));
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
    const worker = await Worker.create({ connection, taskQueue, workflowBundle, shutdownGraceTime: 0 });
    await worker.runUntil(async () => {
      const workflowId = `${taskQueue}/running`;
      const running = await client.workflow.start('signalAll', { taskQueue: 'none', workflowId, args: [[]] });
      const execute = async (type: string, argument: unknown): Promise<unknown> =>
        await client.workflow.execute(type, { taskQueue, workflowId: `${taskQueue}/${type}`, args: [argument] });
      expect(await execute('signalAll', [workflowId, `${taskQueue}/none`])).toEqual([true, false]);
      await expect(execute('failToSignal', workflowId)).rejects.toMatchObject({
        cause: { message: 'The payload cannot be encoded.' },
      });
      await running.terminate();
    });
    await close();
  });

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
