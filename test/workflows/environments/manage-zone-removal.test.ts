import { expect, it } from 'vitest';
import { applySettingsSignal, enqueueSignal, removeZoneSignal } from '../../../workflows/environments/messages.ts';
import { listSignals } from '../../support/workflows/list-signals.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitUntilSignalSeen } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import {
  buildPromotionRequest,
  createGate,
  startAttentiveZone,
  startZoneWorkflow,
  ZoneFixture,
} from '../../support/workflows/zone-fixture.ts';

/** Holds open the removal of a zone, and then the question of whether it was added again. */
function createHeldRemoval({ isDesired }: { isDesired: boolean }) {
  const zone = new ZoneFixture();
  const [removing, checking] = [createGate(), createGate()];
  zone.activities.removeZone = async () => await removing.opened;
  zone.activities.isZoneDesired = async () => {
    await checking.opened;
    return isDesired;
  };
  return { zone, removing, checking };
}

describeWithTemporal('the removal of a zone', () => {
  it('applies the settings of a zone that was added again before its removal had ended here', async () => {
    const zone = new ZoneFixture();
    const removed = Promise.withResolvers<void>();
    zone.activities.removeZone = async () => await removed.promise;
    zone.activities.isZoneDesired = async () => true;
    await withWorkflowHarness(zone.activities, async (harness) => {
      const first = await startZoneWorkflow(harness);
      const zoneWorkflow = harness.client.workflow.getHandle(first.workflowId);
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
      await eventually(() => harness.callInputs('removeZone')).toHaveLength(1);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      removed.resolve();
      await eventually(() => zone.state.settings).toMatchObject({ generation: 2, phase: 'Applied' });
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
      await zoneWorkflow.result();
    });
  });

  it('ends with its zone when settings arrive too late', async () => {
    const zone = new ZoneFixture();
    const removed = Promise.withResolvers<void>();
    zone.activities.removeZone = async () => await removed.promise;
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
      await eventually(() => harness.callInputs('removeZone')).toHaveLength(1);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      removed.resolve();
      await zoneWorkflow.result();
      expect(harness.callInputs('writeZoneSettings')).toEqual([]);
    });
  });

  it('removes the zone and completes while a Release waits for approval', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness);
      await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0'));
      await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob', replyToWorkflowId: 'delete-product/none' });
      await zoneWorkflow.result();
      expect(zone.phase('v0.1.0')).toBe('Cancelled');
      expect(harness.callInputs('removeZone')).toEqual([expect.objectContaining({ zone: 'hello-rc' })]);
    });
  });

  it('reports its removal once to each workflow that waits for it, also to those that begin to wait later', async () => {
    const { zone, removing, checking } = createHeldRemoval({ isDesired: false });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startAttentiveZone(harness);
      const remove = async (replyToWorkflowId: string): Promise<void> =>
        await zoneWorkflow.signal(removeZoneSignal, { by: 'bob', replyToWorkflowId });
      await remove('delete-product/first');
      await eventually(() => harness.callInputs('removeZone')).toHaveLength(1);
      await remove('delete-product/second');
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      removing.open();
      await eventually(() => harness.callInputs('isZoneDesired').length).toBeGreaterThan(0);
      await remove('delete-product/third');
      await waitUntilSignalSeen(zoneWorkflow, 4);
      checking.open();
      await zoneWorkflow.result();
      expect(await listSignals(zoneWorkflow)).toEqual(
        ['first', 'second', 'third'].map((name) => ({ signal: 'zoneRemoved', to: `delete-product/${name}` })),
      );
    });
  });

  it('is removed again when a removal arrives while it learns that it was added again', async () => {
    const { zone, removing, checking } = createHeldRemoval({ isDesired: true });
    await withWorkflowHarness(zone.activities, async (harness) => {
      const zoneWorkflow = await startAttentiveZone(harness);
      await zoneWorkflow.signal(removeZoneSignal, { by: 'bob' });
      await eventually(() => harness.callInputs('removeZone')).toHaveLength(1);
      await zoneWorkflow.signal(applySettingsSignal, { generation: 2 });
      removing.open();
      await eventually(() => harness.callInputs('isZoneDesired').length).toBeGreaterThan(0);
      await zoneWorkflow.signal(removeZoneSignal, { by: 'ada', replyToWorkflowId: 'delete-product/late' });
      await waitUntilSignalSeen(zoneWorkflow, 3);
      checking.open();
      await zoneWorkflow.result();
      expect(harness.callInputs('removeZone').map(({ by }) => by)).toEqual(['bob', 'ada']);
      const latest = harness.client.workflow.getHandle(zoneWorkflow.workflowId);
      expect(await listSignals(latest)).toEqual([{ signal: 'zoneRemoved', to: 'delete-product/late' }]);
    });
  });
});
