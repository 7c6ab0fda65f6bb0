import { expect, it } from 'vitest';
import { deleteProductStart } from '../../../workflows/products/messages.ts';
import { enqueueSignal, removeZoneSignal } from '../../../workflows/environments/messages.ts';
import { ZoneFixture, buildPromotionRequest, startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

describeWithTemporal('deleteProduct', () => {
  it('removes every zone through its workflow, running or not, then deletes the Product', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    const beginProductDeletion = async () => ['hello-rc', 'hello-prod'];
    const [removeProductChart, deleteProductResources] = [async (): Promise<void> => {}, async (): Promise<void> => {}];
    await withWorkflowHarness(
      { ...zone.activities, beginProductDeletion, removeProductChart, deleteProductResources },
      async (harness) => {
        const zoneWorkflow = await startZoneWorkflow(harness, 'hello-rc');
        await zoneWorkflow.signal(enqueueSignal, buildPromotionRequest('v0.1.0', 'promote-release/none'));
        await eventually(() => zone.phase('v0.1.0')).toBe('WaitingForApproval');

        const input = { org: harness.taskQueue, product: 'hello', by: 'bob' };
        const handle = await harness.start(deleteProductStart(input));
        await handle.result();
        await zoneWorkflow.result();
        expect(
          harness
            .callInputs('removeZone')
            .map((ref) => ref.zone)
            .toSorted(),
        ).toEqual(['hello-prod', 'hello-rc']);
        // An event that arrives with the last task of the workflow makes the server repeat that task and its activity.
        const called = [...new Set(harness.calledActivities())];
        expect(called.slice(-2)).toEqual(['removeProductChart', 'deleteProductResources']);
        expect(zone.phase('v0.1.0')).toBe('Cancelled');
      },
    );
  });

  it('completes when a person had begun to remove one of the zones', async () => {
    const zone = new ZoneFixture();
    const removed = Promise.withResolvers<void>();
    const noop = async (): Promise<void> => {};
    const activities = {
      ...zone.activities,
      removeZone: async () => await removed.promise,
      beginProductDeletion: async () => ['hello-rc'],
      removeProductChart: noop,
      deleteProductResources: noop,
    };
    await withWorkflowHarness(activities, async (harness) => {
      const zoneWorkflow = await startZoneWorkflow(harness, 'hello-rc');
      await zoneWorkflow.signal(removeZoneSignal, { by: 'ann' });
      await eventually(() => harness.callInputs('removeZone')).toHaveLength(1);
      const handle = await harness.start(deleteProductStart({ org: harness.taskQueue, product: 'hello', by: 'bob' }));
      const countSignals = async (): Promise<number> => {
        const { events = [] } = await zoneWorkflow.fetchHistory();
        return events?.filter((event) => event.workflowExecutionSignaledEventAttributes).length ?? 0;
      };
      await eventually(countSignals).toBe(2);
      removed.resolve();
      await handle.result();
      expect(harness.callInputs('removeZone')).toHaveLength(1);
    });
  });

  it('completes for a Product without zones', async () => {
    const noop = async (): Promise<void> => {};
    const activities = {
      beginProductDeletion: async () => [],
      removeProductChart: noop,
      deleteProductResources: noop,
    };
    await withWorkflowHarness(activities, async (harness) => {
      const input = { org: harness.taskQueue, product: 'hello', by: 'bob' };
      await (await harness.start(deleteProductStart(input))).result();
      expect(harness.calledActivities()).toEqual([
        'beginProductDeletion',
        'removeProductChart',
        'deleteProductResources',
      ]);
    });
  });
});
