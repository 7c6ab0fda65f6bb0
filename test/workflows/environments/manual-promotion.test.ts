import { expect, it } from 'vitest';
import { enqueueSignal, freezeZoneUpdate, promoteManuallyUpdate } from '../../../workflows/environments/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  holdUnhealthy,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';

const listPromoted = (harness: WorkflowHarness): string[] =>
  harness.callInputs('writePromotion').map(({ version }) => version);

describeWithTemporal('promoteManually', () => {
  it('holds newer versions after a rollback until a person promotes the newest', async () => {
    const zone = new ZoneFixture();
    zone.running = { release: 'hello-v0.2.0', version: 'v0.2.0' };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, {
        args: [buildManualPromotion('v0.1.0', { note: 'It broke.' })],
      });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.findReleaseZone('v0.1.0')?.decision).toMatchObject({
        by: 'bob',
        outcome: 'approved',
        note: 'It broke.',
      });
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newestVersion: 'v0.2.0', by: 'bob' });

      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
      await eventually(() => zone.phase('v0.3.0')).toBe('Pending');
      expect(zone.findReleaseZone('v0.3.0')?.waitingFor?.message).toContain(
        'promote v0.3.0 to hello-rc manually: bob rolled back to v0.1.0',
      );
      // The version is newer than the running one, but not the newest.
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      expect(zone.state.hold).toMatchObject({ version: 'v0.2.0', newestVersion: 'v0.3.0' });
      expect(zone.phase('v0.3.0')).toBe('Pending');

      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] });
      expect(zone.state.hold).toBeNull();
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.4.0'));
      await eventually(() => zone.phase('v0.4.0')).toBe('Verified');
      expect(listPromoted(harness)).toEqual(['v0.1.0', 'v0.2.0', 'v0.3.0', 'v0.4.0']);
    });
  });

  it('begins an attempt of its own, or continues the one that waits', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const listAttempts = (version: string) => [
        ...new Map(
          harness
            .callInputs('recordPromotion')
            .filter(({ release }) => release === `hello-${version}`)
            .map(({ attempt }) => [attempt.id, attempt.cause]),
        ).values(),
      ];
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.2.0')] });
      await eventually(() => zone.phase('v0.2.0')).toBe('Verified');
      expect(listAttempts('v0.2.0')).toEqual([undefined]);
      for (const version of ['v0.1.0', 'v0.2.0']) {
        await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion(version)] });
        await eventually(() => zone.running?.version).toBe(version);
        await eventually(() => zone.phase(version)).toBe('Verified');
      }
      expect(listAttempts('v0.1.0')).toEqual([{ trigger: 'rollback', by: 'bob' }]);
      expect(listAttempts('v0.2.0')).toEqual([undefined, { trigger: 'manual', by: 'bob' }]);
    });
  });

  it('supersedes the promotion in progress, and holds its version when that is newer', async () => {
    const zone = new ZoneFixture();
    zone.running = { release: 'hello-v0.1.0', version: 'v0.1.0' };
    holdUnhealthy(zone, 'v0.2.0');
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('Deploying');
      await expect(
        zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.2.0')] }),
      ).rejects.toMatchObject({
        cause: { type: 'promotion-in-progress', message: expect.stringContaining('is already being promoted') },
      });
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.phase('v0.2.0')).toBe('Superseded');
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newestVersion: 'v0.2.0' });
    });
  });

  it('holds newer versions after a rollback from a version that failed', async () => {
    const zone = new ZoneFixture();
    zone.running = { release: 'hello-v0.1.0', version: 'v0.1.0' };
    zone.activities.waitForZoneHealth = async ({ digest }) =>
      digest === 'sha256:v0.2.0'
        ? { outcome: 'failed', message: 'It exits immediately.' }
        : { outcome: 'healthy', healthyAt: new Date().toISOString() };
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.2.0'));
      await eventually(() => zone.phase('v0.2.0')).toBe('Failed');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.state.hold).toMatchObject({ version: 'v0.1.0', newestVersion: 'v0.2.0' });
    });
  });

  it('skips the queue: newer requests stay in it, and older ones are superseded', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.2.0')] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Superseded');
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.4.0'));
      await eventually(() => zone.phase('v0.4.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] });
      await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
      await eventually(() => zone.phase('v0.4.0')).toBe('Pending');
      expect(listPromoted(harness)).toEqual(['v0.2.0', 'v0.3.0']);
    });
  });

  it('leaves a request for another image of the Release in the queue', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const request = { ...buildPromotionRequest('v0.1.0'), digest: 'sha256:other', releaseAttempt: 'later' };
      await zoneWorkflow.signal(enqueueSignal, request);
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] });
      await eventually(() => zone.phaseHistory.slice(-2)).toEqual(['v0.1.0 Verified', 'v0.1.0 WaitingForApproval']);
      const attempts = harness.callInputs('recordPromotion').map(({ attempt, digest }) => `${attempt.id} ${digest}`);
      expect(new Set(attempts).size).toBe(2);
    });
  });

  it('is rejected while the zone is frozen unless it overrides the freeze', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      const since = new Date().toISOString();
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [{ reason: 'Sale.', by: 'ada', since }] });
      await expect(
        zoneWorkflow.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] }),
      ).rejects.toMatchObject({
        cause: { type: 'zone-frozen', message: expect.stringContaining('ada froze the zone "hello-rc": Sale.') },
      });
      await zoneWorkflow.executeUpdate(promoteManuallyUpdate, {
        args: [buildManualPromotion('v0.1.0', { overrideFreeze: true })],
      });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
    });
  });
});
