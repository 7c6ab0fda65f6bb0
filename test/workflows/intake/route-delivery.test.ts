import { expect, it } from 'vitest';
import { runAgentWorkflowId } from '../../../workflows/changes/messages.ts';
import { type DeliveryFacts, routeDeliveryId } from '../../../workflows/intake/messages.ts';
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

const recordDelivery = async (): Promise<void> => {};

describeWithTemporal('routeDelivery', () => {
  it('starts one run, however many deliveries come for the same issue at once', async () => {
    const change = new AChange();
    const matchDelivery = async () => [{ agentWorkflow: 'change', product: 'hello', starts: true }];
    await onTemporal({ ...change.activities, matchDelivery, recordDelivery }, async (world) => {
      const org = world.taskQueue;
      const routed = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const input = { org, delivery: `delivery-${index}`, facts };
          const handle = await world.start('routeDelivery', input, {
            workflowId: routeDeliveryId({ ...input, bodyHash: 'one' }),
          });
          return await handle.result();
        }),
      );
      const started = routed.flat().filter((one) => one.run);
      expect(started).toHaveLength(1);
      const dropped = routed.flat().filter((one) => !one.run);
      expect(dropped).toHaveLength(9);
      expect(dropped[0]?.reason).toBe('a run for it is already going on');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(new Set(world.calls('openRun').map(({ run }) => run))).toEqual(new Set([started[0]?.run]));
      const noted = world.calls('recordDelivery').flatMap((one) => one.routed);
      expect(noted.filter((one) => one.run)).toEqual(started);
      expect(noted).toHaveLength(10);

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
    await onTemporal({ matchDelivery, recordDelivery }, async (world) => {
      const input = { org: world.taskQueue, delivery: 'one', facts };
      const handle = await world.start('routeDelivery', input, {
        workflowId: routeDeliveryId({ ...input, bodyHash: 'one' }),
      });
      expect(await handle.result()).toEqual([
        { agentWorkflow: 'change', reason: 'the label is missing' },
        { agentWorkflow: 'report', reason: 'no Product lists this repo' },
      ]);
      expect(world.calls('recordDelivery')).toMatchObject([{ delivery: 'one', routed: await handle.result() }]);
    });
  });

  it('starts a run of a pull request as one, in the spelling of the Product, with what caused it', async () => {
    const change = new AChange();
    const at = '2026-01-01T00:00:00.000Z';
    const opened: DeliveryFacts = {
      event: 'pull_request',
      action: 'synchronize',
      repo: 'ACME/Hello',
      number: 7,
      labels: ['x'],
      baseBranch: 'main',
      headBranch: 'fix',
      at,
    };
    const matchDelivery = async () => [{ agentWorkflow: 'change', product: 'hello', repo: 'acme/hello', starts: true }];
    await onTemporal({ ...change.activities, matchDelivery, recordDelivery }, async (world) => {
      const input = { org: world.taskQueue, delivery: 'one', facts: opened };
      const workflowId = routeDeliveryId({ ...input, bodyHash: 'one' });
      await (await world.start('routeDelivery', input, { workflowId })).result();
      await eventually(() => world.calls('openRun')).toMatchObject([
        {
          target: { repo: 'acme/hello', number: 7, kind: 'pull-request' },
          cause: { event: 'pull_request.synchronize', labels: ['x'], at },
        },
      ]);
      const { typedSearchAttributes } = await world.client.workflow
        .getHandle(runAgentWorkflowId(changeInput(world.taskQueue)))
        .describe();
      expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContain('pull-request');
    });
  });
});
