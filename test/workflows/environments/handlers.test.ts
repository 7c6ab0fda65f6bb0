import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import {
  applySettingsSignal,
  approvePromotionUpdate,
  enqueueSignal,
  promoteManuallyUpdate,
  rejectPromotionUpdate,
  removeZoneSignal,
  withdrawSignal,
  zoneProgressQuery,
} from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitUntilActivityHandled } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  holdUnhealthy,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';

describeWithTemporal('registerHandlers: removeZone', () => {
  it('cancels the promotion in progress and all requests that wait or arrive later', async () => {
    const zone = new ZoneFixture();
    holdUnhealthy(zone, 'v0.1.0');
    const removing = Promise.withResolvers<void>();
    zone.activities.removeZone = async () => await removing.promise;
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
      await eventually(() => harness.calledActivities()).toContain('removeZone');
      expect([zone.phase('v0.1.0'), zone.phase('v0.2.0')]).toEqual(['Cancelled', 'Cancelled']);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
      await expect(
        zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] }),
      ).rejects.toMatchObject({
        cause: { type: 'zone-removing', message: expect.stringContaining('is being removed') },
      });
      removing.resolve();
      await zoneWorkflow.result();
      expect(zone.phase('v0.3.0')).toBe('Cancelled');
    });
  });

  it('fails a manual promotion that arrived just before the removal, and completes', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const results: Promise<unknown>[] = [];
      await harness.whileWorkerStopped(async () => {
        const zoneWorkflow = await startZoneWorkflow(harness);
        const promotion = zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
        results.push(promotion.catch((error: unknown) => error));
        await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
        results.push(zoneWorkflow.result());
      });
      const [failure] = await Promise.all(results);
      expect(failure).toMatchObject({ cause: { type: 'zone-removing' } });
      expect(harness.calledActivities()).toEqual(['removeZone']);
    });
  });

  it('promotes nothing when the removal arrives before the first workflow task, in any order of signals', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const started: Promise<Awaited<ReturnType<typeof startZoneWorkflow>>>[] = [];
      await harness.whileWorkerStopped(async () => {
        const zoneWorkflow = await startZoneWorkflow(harness);
        started.push(Promise.resolve(zoneWorkflow));
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
        await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
        await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      });
      await (await started[0])?.result();
      expect([zone.phase('v0.1.0'), zone.phase('v0.2.0')]).toEqual(['Cancelled', 'Cancelled']);
      expect(harness.calledActivities().filter((name) => name !== 'recordPromotion')).toEqual(['removeZone']);
    });
  });
});

const earlier = { ...buildPromotionRequest('v0.1.0'), releaseAttempt: 'earlier' };
const later = { ...buildPromotionRequest('v0.1.0'), digest: 'sha256:later', releaseAttempt: 'later' };
const listDigests = (harness: WorkflowHarness): string[] =>
  harness.callInputs('writePromotion').map(({ digest }) => digest);

describeWithTemporal('registerHandlers: enqueue', () => {
  it('promotes a later attempt of a Release after the one in progress, and each only once', async () => {
    const zone = new ZoneFixture();
    const { letHealthy } = holdUnhealthy(zone, 'v0.1.0');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, earlier);
      await eventually(() => zone.phase('v0.1.0')).toBe('Deploying');
      for (const request of [later, earlier, later]) await zoneWorkflow.signal(enqueueSignal, request);
      await eventually(async () => (await zoneWorkflow.query(zoneProgressQuery)).queue).toEqual([later.release]);
      letHealthy();
      await eventually(() => zone.phaseHistory.filter((phase) => phase === 'v0.1.0 Verified')).toHaveLength(2);
      await eventually(async () => (await zoneWorkflow.query(zoneProgressQuery)).phase).toBe('Idle');
      expect(listDigests(harness)).toEqual([earlier.digest, later.digest]);
    });
  });

  it('replaces an attempt that waits, whose approval does not count for the later one', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, earlier);
      await eventually(() => zone.phaseHistory).toEqual(['v0.1.0 WaitingForApproval']);
      await zoneWorkflow.signal(enqueueSignal, later);
      await eventually(() => zone.phaseHistory.toSorted()).toEqual([
        'v0.1.0 Superseded',
        'v0.1.0 WaitingForApproval',
        'v0.1.0 WaitingForApproval',
      ]);
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, {
        args: [{ release: later.release, by: 'bob', role: 'member' }],
      });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(listDigests(harness)).toEqual([later.digest]);
    });
  });

  it('withdraws the attempt that waits, not the promotion in progress', async () => {
    const zone = new ZoneFixture();
    const written = Promise.withResolvers<void>();
    zone.activities.writePromotion = async () => {
      await Promise.race([written.promise, Context.current().cancelled]);
      return { outcome: 'promoted', gitopsCommit: 'g1', mergedAt: new Date().toISOString() };
    };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => listDigests(harness)).toEqual([earlier.digest]);
      await zoneWorkflow.signal(enqueueSignal, later);
      await zoneWorkflow.signal(withdrawSignal, { release: later.release, by: 'bob' });
      await eventually(() => zone.phaseHistory.at(-1)).toBe('v0.1.0 Cancelled');
      const { events } = await zoneWorkflow.fetchHistory();
      expect(events?.filter((event) => event.activityTaskCancelRequestedEventAttributes)).toEqual([]);
      written.resolve();
      await eventually(() => zone.phaseHistory.at(-1)).toBe('v0.1.0 Verified');
      expect(listDigests(harness)).toEqual([earlier.digest]);
    });
  });
});

const decision = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };

describeWithTemporal('registerHandlers: approvePromotion and rejectPromotion', () => {
  it('record an approval while a settings change is in progress, and promote after it', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    const { letHealthy } = holdUnhealthy(zone, 'any');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => harness.calledActivities()).toContain('waitForZoneHealth');
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [decision] });
      expect(zone.findReleaseZone('v0.1.0')).toMatchObject({
        phase: 'Pending',
        decision: { by: 'bob', outcome: 'approved' },
      });
      expect(zone.state.settings).toMatchObject({ phase: 'Applying' });
      for (const update of [approvePromotionUpdate, rejectPromotionUpdate])
        await expect(zoneWorkflow.executeUpdate(update, { args: [decision] })).rejects.toMatchObject({
          cause: {
            type: 'promotion-not-waiting',
            message: 'The Release "hello-v0.1.0" was already approved or rejected in zone "hello-rc".',
          },
        });
      letHealthy();
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.state.settings).toMatchObject({ phase: 'Applied' });
    });
  });

  it('record a rejection while another Release is promoted manually', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    const { letHealthy } = holdUnhealthy(zone, 'v0.0.1');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.0.1')] });
      await eventually(() => zone.phase('v0.0.1')).toBe('Deploying');
      await zoneWorkflow.executeUpdate(rejectPromotionUpdate, { args: [decision] });
      expect(zone.phase('v0.1.0')).toBe('Rejected');
      expect(zone.phase('v0.0.1')).toBe('Deploying');
      letHealthy();
      await eventually(() => zone.phase('v0.0.1')).toBe('Verified');
      expect(zone.phase('v0.1.0')).toBe('Rejected');
    });
  });

  it('refuse a Release that a person is about to promote manually', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    const written = Promise.withResolvers<void>();
    const writeZoneSettings = async () => {
      await written.promise;
      return { outcome: 'no-release' } as const;
    };
    await withWorkflowHarness({ ...zone.activities, writeZoneSettings }, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      await eventually(() => harness.calledActivities()).toContain('writeZoneSettings');
      const promotion = zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => harness.callInputs('verifyDecision')).toHaveLength(1);
      await waitUntilActivityHandled(zoneWorkflow);
      await expect(zoneWorkflow.executeUpdate(rejectPromotionUpdate, { args: [decision] })).rejects.toMatchObject({
        cause: { type: 'promotion-in-progress', message: expect.stringContaining('already being promoted') },
      });
      written.resolve();
      await promotion;
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });
});
