import { expect, it } from 'vitest';
import { type DeliveryFacts, routeDeliveryId, runAgentWorkflowId } from '../../../workflows/changes/messages.ts';
import { AChange, changeInput } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const facts: DeliveryFacts = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/hello',
  number: 7,
  labels: ['service'],
  senderIsBot: false,
  isPullRequest: false,
};

describeWithTemporal('routeDelivery', () => {
  it('starts one run, however many deliveries come for the same issue at once', async () => {
    const change = new AChange();
    const matchDelivery = async () => [{ agentWorkflow: 'change', product: 'hello', starts: true }];
    await onTemporal({ ...change.activities, matchDelivery }, async (world) => {
      const org = world.taskQueue;
      const routed = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const input = { org, delivery: `delivery-${index}`, facts };
          const handle = await world.start('routeDelivery', input, { workflowId: routeDeliveryId(input) });
          return await handle.result();
        }),
      );
      const started = routed.flat().filter((one) => one.started);
      expect(started).toEqual([{ agentWorkflow: 'change', product: 'hello', started: true }]);
      const dropped = routed.flat().filter((one) => !one.started);
      expect(dropped).toHaveLength(9);
      expect(dropped[0]?.reason).toBe('a run for it is already going on');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(new Set(world.calls('openRun').map(({ run }) => run)).size).toBe(1);

      const run = world.client.workflow.getHandle(runAgentWorkflowId(changeInput(org)));
      const attributes = async () => {
        const { typedSearchAttributes } = await run.describe();
        return Object.fromEntries(typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]));
      };
      await eventually(attributes).toMatchObject({
        org,
        product: 'hello',
        targetKind: 'issue',
        phase: 'WaitingForPerson',
      });
    });
  });

  it('says why a delivery starts nothing', async () => {
    const matchDelivery = async () => [
      { agentWorkflow: 'change', product: 'hello', starts: false, reason: 'the label is missing' },
      { agentWorkflow: 'report', starts: true },
    ];
    await onTemporal({ matchDelivery }, async (world) => {
      const input = { org: world.taskQueue, delivery: 'one', facts };
      const handle = await world.start('routeDelivery', input, { workflowId: routeDeliveryId(input) });
      expect(await handle.result()).toEqual([
        { agentWorkflow: 'change', started: false, reason: 'the label is missing' },
        { agentWorkflow: 'report', started: false, reason: 'no Product lists this repo' },
      ]);
    });
  });
});
