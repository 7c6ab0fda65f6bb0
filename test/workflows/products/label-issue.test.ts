import { expect, it } from 'vitest';
import type { IssueEvent } from '../../../src/rules/intake/events.ts';
import { labelIssueStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

const event: IssueEvent = {
  event: 'issues',
  action: 'labeled',
  repo: 'acme/hello',
  number: 7,
  label: 'a',
  labels: ['a'],
  at: '2026-01-02T03:04:05Z',
  senderIsBot: false,
  isPullRequest: false,
};

describeWithTemporal('labelIssue', () => {
  it('changes the labels, and starts what the added ones trigger in the name of the person', async () => {
    const activities = {
      readLabelEvents: async () => [event],
      labelIssue: async () => {},
      matchDelivery: async () => [{ agentWorkflow: 'change', product: 'hello', starts: true }],
      recordDelivery: async () => {},
      openRun: async () => {
        throw new Error('The run is not under test.');
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const issue = { org: harness.taskQueue, product: 'hello', repo: 'acme/hello', number: 7, by: 'ada@example.com' };
      await (await harness.start(labelIssueStart({ ...issue, requestId: 'r1', add: ['a'], remove: ['b'] }))).result();
      expect(harness.callInputs('labelIssue')).toMatchObject([{ number: 7, add: ['a'], remove: ['b'] }]);
      expect(harness.calledActivities().indexOf('readLabelEvents')).toBeLessThan(
        harness.calledActivities().indexOf('labelIssue'),
      );
      await eventually(() => harness.callInputs('openRun')[0]).toMatchObject({
        startedBy: 'ada@example.com',
        cause: { event: 'issue.labeled', label: 'a' },
      });
    });
  });
});
