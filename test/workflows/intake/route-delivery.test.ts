import { expect, it } from 'vitest';
import { runAgentWorkflowId } from '../../../src/rules/changes/run-workflow-id.ts';
import { type DeliveryFacts, routeDeliveryStart } from '../../../workflows/intake/messages.ts';
import { ChangeFixture, buildChangeInput } from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { ignored } from '../../../src/rules/intake/ignored-reasons.ts';

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
  it('starts one run for concurrent deliveries of the same issue', async () => {
    const change = new ChangeFixture();
    const matchDelivery = async () => [{ agentWorkflow: 'change', product: 'hello', starts: true }];
    await withWorkflowHarness({ ...change.activities, matchDelivery, recordDelivery }, async (harness) => {
      const org = harness.taskQueue;
      const routed = await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const input = { org, deliveryId: `delivery-${index}`, facts };
          const handle = await harness.start(routeDeliveryStart({ ...input, bodyHash: 'one' }));
          return await handle.result();
        }),
      );
      const started = routed.flat().filter((one) => one.run);
      expect(started).toHaveLength(1);
      const dropped = routed.flat().filter((one) => !one.run);
      expect(dropped).toHaveLength(9);
      expect(dropped[0]).toMatchObject(ignored('run-in-progress'));
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(new Set(harness.callInputs('openRun').map(({ run }) => run))).toEqual(new Set([started[0]?.run]));
      const recorded = harness.callInputs('recordDelivery').flatMap((one) => one.routed);
      expect(recorded.filter((one) => one.run)).toEqual(started);
      expect(recorded).toHaveLength(10);

      const run = harness.client.workflow.getHandle(runAgentWorkflowId(buildChangeInput(org)));
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

  it('returns the reason when a delivery starts no run', async () => {
    const matchDelivery = async () => [
      { agentWorkflow: 'change', product: 'hello', starts: false, ...ignored('label-mismatch') },
      { agentWorkflow: 'report', starts: true },
    ];
    await withWorkflowHarness({ matchDelivery, recordDelivery }, async (harness) => {
      const input = { org: harness.taskQueue, deliveryId: 'one', facts };
      const handle = await harness.start(routeDeliveryStart({ ...input, bodyHash: 'one' }));
      expect(await handle.result()).toEqual([
        { agentWorkflow: 'change', ...ignored('label-mismatch') },
        { agentWorkflow: 'report', ...ignored('product-not-found') },
      ]);
      expect(harness.callInputs('recordDelivery')).toMatchObject([
        { deliveryId: 'one', routed: await handle.result() },
      ]);
    });
  });

  it('starts a run of a pull request with the Product’s spelling of the repo and the cause', async () => {
    const change = new ChangeFixture();
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
    await withWorkflowHarness({ ...change.activities, matchDelivery, recordDelivery }, async (harness) => {
      const input = { org: harness.taskQueue, deliveryId: 'one', facts: opened };
      await (await harness.start(routeDeliveryStart({ ...input, bodyHash: 'one' }))).result();
      await eventually(() => harness.callInputs('openRun')).toMatchObject([
        {
          target: { repo: 'acme/hello', number: 7, kind: 'pull-request' },
          cause: { event: 'pull_request.synchronize', labels: ['x'], at },
        },
      ]);
      const { typedSearchAttributes } = await harness.client.workflow
        .getHandle(runAgentWorkflowId(buildChangeInput(harness.taskQueue)))
        .describe();
      expect(typedSearchAttributes.getAll().map(({ value }) => value)).toContain('pull-request');
    });
  });
});
