import { expect, it } from 'vitest';
import { deleteProductStart } from '../../../workflows/products/messages.ts';
import { runScheduleStart } from '../../../workflows/scheduling/messages.ts';
import { enqueueSignal, removeZoneSignal } from '../../../workflows/environments/messages.ts';
import { ZoneFixture, buildPromotionRequest, startZoneWorkflow } from '../../support/workflows/zone-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const noop = async (): Promise<void> => {};
const fakes = {
  listProductWork: async () => [],
  waitForProductWork: noop,
  removeProductChart: noop,
  deleteProductResources: noop,
};

describeWithTemporal('deleteProduct', () => {
  it('cancels the runs and Releases of the Product first, and waits until they stop', async () => {
    const runId = `run-agent-workflow/${crypto.randomUUID()}`;
    const activities = {
      ...fakes,
      beginProductDeletion: async () => [],
      listProductWork: async () => [runId, 'run-agent-workflow/gone'],
      readSchedule: async () => ({ now: '2026-01-05T09:00:00.000Z', schedule: 'daily' }),
      recordSchedule: noop,
    };
    await withWorkflowHarness(activities, async (harness) => {
      const org = harness.taskQueue;
      // The run is a schedule, which ends in the same way when it is cancelled.
      const { type, options } = runScheduleStart({ org, agentWorkflow: 'run' });
      const run = await harness.start({ type, options: { ...options, workflowId: runId } });
      await eventually(() => harness.callInputs('recordSchedule')).toHaveLength(1);
      await (await harness.start(deleteProductStart({ org, product: 'hello', by: 'bob' }))).result();
      await expect(run.result()).rejects.toThrow('cancelled');
      expect(harness.calledActivities().filter((name) => !name.endsWith('Schedule'))).toEqual([
        'beginProductDeletion',
        'listProductWork',
        'waitForProductWork',
        'removeProductChart',
        'deleteProductResources',
      ]);
    });
  });

  it('waits for no run whose workflow is lost', async () => {
    const listProductWork = async () => ['run-agent-workflow/lost'];
    const activities = { ...fakes, beginProductDeletion: async () => [], listProductWork };
    await withWorkflowHarness(activities, async (harness) => {
      const deletion = deleteProductStart({ org: harness.taskQueue, product: 'hello', by: 'bob' });
      await (await harness.start(deletion)).result();
      expect(harness.calledActivities()).not.toContain('waitForProductWork');
    });
  });

  it('gives the list of many runs, and the deletion of their blobs, the time that they take', async () => {
    const activities = { ...fakes, beginProductDeletion: async () => [] };
    await withWorkflowHarness(activities, async (harness) => {
      const handle = await harness.start(deleteProductStart({ org: harness.taskQueue, product: 'hello', by: 'bob' }));
      await handle.result();
      const { events } = await handle.fetchHistory();
      const scheduled = events?.map(({ activityTaskScheduledEventAttributes: attributes }) => attributes);
      for (const name of ['listProductWork', 'deleteProductResources']) {
        const activity = scheduled?.find((one) => one?.activityType?.name === name);
        expect(Number(activity?.startToCloseTimeout?.seconds)).toBeGreaterThan(3_600);
        expect(Number(activity?.heartbeatTimeout?.seconds)).toBeLessThan(60);
      }
    });
  });

  it('removes every zone through its workflow, running or not, then deletes the Product', async () => {
    const zone = new ZoneFixture({ requiresApproval: true });
    const beginProductDeletion = async () => ['hello-rc', 'hello-prod'];
    await withWorkflowHarness({ ...zone.activities, ...fakes, beginProductDeletion }, async (harness) => {
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
    });
  });

  it('completes when a person had begun to remove one of the zones', async () => {
    const zone = new ZoneFixture();
    const removed = Promise.withResolvers<void>();
    const activities = {
      ...zone.activities,
      ...fakes,
      removeZone: async () => await removed.promise,
      beginProductDeletion: async () => ['hello-rc'],
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
    const activities = { ...fakes, beginProductDeletion: async () => [] };
    await withWorkflowHarness(activities, async (harness) => {
      const input = { org: harness.taskQueue, product: 'hello', by: 'bob' };
      await (await harness.start(deleteProductStart(input))).result();
      expect(harness.calledActivities()).toEqual([
        'beginProductDeletion',
        'listProductWork',
        'removeProductChart',
        'deleteProductResources',
      ]);
    });
  });
});
