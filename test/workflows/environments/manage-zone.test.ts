import { expect, it } from 'vitest';
import {
  applySettingsSignal,
  approvePromotionUpdate,
  enqueueSignal,
  zoneProgressQuery,
  rejectPromotionUpdate,
  removeZoneSignal,
  withdrawSignal,
} from '../../../workflows/environments/messages.ts';
import {
  ZoneFixture,
  buildPromotionRequest,
  createGate,
  startAttentiveZone,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitUntilSignalSeen } from '../../support/workflows/wait-until-processed.ts';

const buildDecision = (version: string) => ({ release: `hello-${version}`, by: 'bob', role: 'member' });

describeWithTemporal('manageZone', () => {
  it('promotes a Release phase by phase and verifies it', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.phaseHistory.map((line) => line.split(' ')[1])).toEqual([
        'Promoting',
        'Deploying',
        'Healthy',
        'Verifying',
        'Verified',
      ]);
      expect(harness.callInputs('writePromotion')).toEqual([
        expect.objectContaining({ release: 'hello-v0.1.0', digest: 'sha256:v0.1.0', commit: 'commit-of-v0.1.0' }),
      ]);
      expect(zone.findReleaseZone('v0.1.0')).toMatchObject({
        gitopsCommit: 'g1',
        smokeCheck: { url: 'http://hello-rc/' },
      });
      await eventually(async () => await zoneWorkflow.query(zoneProgressQuery)).toEqual({ phase: 'Idle', queue: [] });
    });
  });

  it('waits for approval when the zone requires it, and writes nothing before', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      expect(zone.findReleaseZone('v0.1.0')?.waitingFor).toMatchObject({
        role: 'member',
        message: 'approve v0.1.0 for hello-rc',
      });
      await expect(
        zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.2.0')] }),
      ).rejects.toMatchObject({
        cause: { type: 'promotion-not-waiting', message: expect.stringContaining('does not wait') },
      });
      expect(harness.calledActivities()).not.toContain('writePromotion');

      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.1.0')] });
      expect(zone.findReleaseZone('v0.1.0')?.decision).toMatchObject({ by: 'bob', outcome: 'approved' });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.findReleaseZone('v0.1.0')).not.toHaveProperty('waitingFor');
    });
  });

  it('rejects a Release with the person and the note', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      const decision = { ...buildDecision('v0.1.0'), note: 'Not before Monday.' };
      await zoneWorkflow.executeUpdate(rejectPromotionUpdate, { args: [decision] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Rejected');
      expect(zone.findReleaseZone('v0.1.0')).toMatchObject({
        failure: { message: 'bob rejected it: Not before Monday.' },
        decision: { outcome: 'rejected', note: 'Not before Monday.' },
      });
      expect(harness.calledActivities()).not.toContain('writePromotion');
    });
  });

  it('supersedes a waiting Release when a newer one is enqueued, which then waits for approval', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.9.0'));
      await eventually(() => zone.phase('v0.9.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.10.0'));
      await eventually(() => zone.phase('v0.10.0')).toBe('WaitingForApproval');
      expect(zone.phase('v0.9.0')).toBe('Superseded');
      await expect(
        zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.9.0')] }),
      ).rejects.toMatchObject({
        cause: { type: 'promotion-not-waiting' },
      });
    });
  });

  it('never promotes an older Release automatically, whether it arrives late or waited', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      await eventually(() => zone.phase('v0.1.0')).toBe('Superseded');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.1'));
      await eventually(() => zone.phase('v0.1.1')).toBe('Superseded');
      expect(harness.callInputs('writePromotion')).toHaveLength(1);
    });
  });

  it('removes a withdrawn Release from the queue, and supersedes no other request for it', async () => {
    const zone = new ZoneFixture();
    const deployed = Promise.withResolvers<void>();
    const waitForZoneHealth = async () => {
      await deployed.promise;
      return { outcome: 'healthy', healthyAt: new Date().toISOString() } as const;
    };
    await withWorkflowHarness({ ...zone.activities, waitForZoneHealth }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
      await zoneWorkflow.signal(withdrawSignal, { release: 'hello-v0.3.0', by: 'bob' });
      await eventually(() => zone.phase('v0.3.0')).toBe('Cancelled');
      expect(await zoneWorkflow.query(zoneProgressQuery)).toMatchObject({
        release: 'hello-v0.1.0',
        phase: 'Deploying',
      });
      deployed.resolve();
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
    });
  });

  it('promotes a Release that is enqueued after it was withdrawn', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(withdrawSignal, { release: 'hello-v0.1.0', by: 'bob' });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });

  it('keeps its queue when it continues as new', async () => {
    const zone = new ZoneFixture();
    const address = await startShortHistoryServer(15);
    await withWorkflowHarness(
      zone.activities,
      async (harness) => {
        const zoneWorkflow = await startZoneWorkflow(harness);
        const latest = harness.client.workflow.getHandle(zoneWorkflow.workflowId);
        for (const version of ['v0.1.0', 'v0.2.0', 'v0.3.0']) {
          await latest.signal(enqueueSignal, buildPromotionRequest(version));
          await eventually(() => zone.phase(version)).toBeDefined();
        }
        await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
        await eventually(async () => (await latest.describe()).runId).not.toBe(zoneWorkflow.firstExecutionRunId);
        await latest.signal(removeZoneSignal, { by: 'bob', replyToWorkflowId: 'delete-product/none' });
        await zoneWorkflow.result();
        expect(harness.callInputs('writePromotion').map(({ version }) => version)).toEqual([
          'v0.1.0',
          'v0.2.0',
          'v0.3.0',
        ]);
      },
      address,
    );
  });

  it('promotes a Release once when it is enqueued several times', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      for (let time = 0; time < 3; time += 1) await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      // A request that was left over would be handled before, or together with, the next one.
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [buildDecision('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      expect(harness.callInputs('writePromotion').map(({ version }) => version)).toEqual(['v0.1.0', 'v0.2.0']);
      expect(zone.phase('v0.1.0')).toBe('Verified');
    });
  });

  it('applies settings first that arrive while it looks at the zone for a Release', async () => {
    const zone = new ZoneFixture();
    const reading = createGate();
    let reads = 0;
    zone.activities.readZone = async () => {
      reads += 1;
      // The first read supersedes older requests, and the second evaluates the gate.
      if (reads > 1) await reading.opened;
      return { requiresApproval: false, running: undefined };
    };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startAttentiveZone(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => reads).toBeGreaterThan(1);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await waitUntilSignalSeen(zoneWorkflow, 2);
      reading.open();
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      const writes = harness.calledActivities().filter((name) => name.startsWith('write'));
      expect(writes).toEqual(['writeZoneSettings', 'writePromotion']);
    });
  });
});
