import { expect, it } from 'vitest';
import { labelIssueStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('labelIssue', () => {
  it('adds and removes the labels of the request', async () => {
    await withWorkflowHarness({ labelIssue: async () => {} }, async (harness) => {
      const issue = { org: harness.taskQueue, product: 'hello', repo: 'acme/hello', number: 7 };
      await (await harness.start(labelIssueStart({ ...issue, requestId: 'r1', add: ['a'], remove: ['b'] }))).result();
      expect(harness.callInputs('labelIssue')).toMatchObject([{ number: 7, add: ['a'], remove: ['b'] }]);
    });
  });
});
