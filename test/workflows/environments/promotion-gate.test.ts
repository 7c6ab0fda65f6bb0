import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { callWorkflow } from '../../../src/integrations/temporal/call-workflow.ts';
import {
  approvePromotionUpdate,
  enqueueSignal,
  zoneProgressQuery,
  freezeZoneUpdate,
  promoteManuallyUpdate,
  rejectPromotionUpdate,
  unfreezeZoneUpdate,
  withdrawSignal,
} from '../../../workflows/environments/messages.ts';
import {
  ZoneFixture,
  buildManualPromotion,
  buildPromotionRequest,
  startZoneWorkflow,
} from '../../support/workflows/zone-fixture.ts';
import { listSignals } from '../../support/workflows/list-signals.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const timeInMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const buildFreeze = (more: { until?: string } = {}) => ({ reason: 'Sale.', by: 'ada', since: timeInMs(0), ...more });

describeWithTemporal('evaluateGate', () => {
  it('blocks a Release while the zone is frozen, shows the person and the reason, and promotes it once unfrozen', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze()] });
      expect(zone.state.freeze).toMatchObject({ by: 'ada', reason: 'Sale.' });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.findReleaseZone('v0.1.0')?.waitingFor?.message).toBe(
        'unfreeze hello-rc: ada froze it: Sale.',
      );
      expect(zone.phase('v0.1.0')).toBe('Pending');
      expect(harness.calledActivities()).not.toContain('writePromotion');
      await zoneWorkflow.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] });
      expect(zone.state.freeze).toBeNull();
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.findReleaseZone('v0.1.0')).not.toHaveProperty('waitingFor');
    });
  });

  it('lifts a freeze when it expires, for an idle zone and after the expiry was changed too', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze({ until: timeInMs(500) })] });
      await eventually(() => zone.state.freeze).toBeNull();

      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze({ until: timeInMs(3_600_000) })] });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Pending');
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze({ until: timeInMs(500) })] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.state.freeze).toBeNull();
    });
  });

  it('requests approval during a freeze, and promotes the approved Release after it without a second approval', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze()] });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      const approval = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };
      await zoneWorkflow.executeUpdate(approvePromotionUpdate, { args: [approval] });
      await eventually(() => zone.findReleaseZone('v0.1.0')?.waitingFor?.message).toContain('unfreeze hello-rc');
      await zoneWorkflow.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] });
      await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
      expect(zone.phaseHistory.filter((line) => line.endsWith('WaitingForApproval'))).toHaveLength(1);
    });
  });

  it('requests approval when the zone began to require it during the freeze', async () => {
    const zone = new ZoneFixture();
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.executeUpdate(freezeZoneUpdate, { args: [buildFreeze()] });
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('Pending');
      zone.requiresApproval = true;
      await zoneWorkflow.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] });
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      expect(harness.calledActivities()).not.toContain('writePromotion');
    });
  });

  it('keeps the freeze, the hold and the approval when it continues as new', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    zone.running = { release: 'hello-v0.2.0', version: 'v0.2.0' };
    const address = await startShortHistoryServer(25);
    await withWorkflowHarness(
      zone.activities,
      async (harness) => {
        const zoneWorkflow = await startZoneWorkflow(harness);
        const latest = harness.client.workflow.getHandle(zoneWorkflow.workflowId);
        // An update that arrives during continue-as-new is rejected, so it is sent again.
        const send = async (call: () => Promise<void>): Promise<void> => await callWorkflow(harness.client, call);
        const continueAsNew = async (): Promise<void> => {
          const { runId } = await latest.describe();
          // Signals without pauses would keep the workflow from continuing as new.
          for (; (await latest.describe()).runId === runId; await setTimeout(100))
            await latest.signal(withdrawSignal, { release: 'none', by: 'ada' });
        };
        await send(() => latest.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.1.0')] }));
        await eventually(() => zone.phase('v0.1.0')).toBe('Verified');
        await send(() => latest.executeUpdate(freezeZoneUpdate, { args: [buildFreeze()] }));
        await continueAsNew();
        await latest.signal(enqueueSignal, buildPromotionRequest('v0.3.0'));
        await eventually(() => zone.findReleaseZone('v0.3.0')?.waitingFor?.message).toContain(
          'manually: bob rolled back to v0.1.0',
        );
        await continueAsNew();
        await eventually(async () => await latest.query(zoneProgressQuery)).toMatchObject({
          release: 'hello-v0.3.0',
        });
        await expect(
          send(() => latest.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] })),
        ).rejects.toMatchObject({
          message: expect.stringContaining('ada froze the zone'),
        });
        await send(() => latest.executeUpdate(unfreezeZoneUpdate, { args: [{ by: 'ada' }] }));
        await send(() => latest.executeUpdate(promoteManuallyUpdate, { args: [buildManualPromotion('v0.3.0')] }));
        await eventually(() => zone.phase('v0.3.0')).toBe('Verified');
        expect(zone.state.hold).toBeNull();
      },
      address,
    );
  });
});

describeWithTemporal('applyDecision', () => {
  it('reports a rejection to the Release, and forgets the request', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0', 'promote-release/rejected'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      const rejection = { release: 'hello-v0.1.0', by: 'bob', role: 'member' };
      await zoneWorkflow.executeUpdate(rejectPromotionUpdate, { args: [rejection] });
      await eventually(async () => await listSignals(zoneWorkflow)).toEqual([
        { signal: 'promotionFinished', to: 'promote-release/rejected' },
      ]);
      await eventually(async () => await zoneWorkflow.query(zoneProgressQuery)).toEqual({ phase: 'Idle', queue: [] });
      expect(zone.findReleaseZone('v0.1.0')?.failure?.message).toBe('bob rejected it.');
    });
  });
});
