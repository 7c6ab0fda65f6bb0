import { expect, it } from 'vitest';
import { createIssueStart } from '../../../workflows/products/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('createIssue', () => {
  it('returns the number of the issue, and creates one issue for a repeated request', async () => {
    await withWorkflowHarness({ createIssue: async () => ({ number: 7 }) }, async (harness) => {
      const ref = { org: harness.taskQueue, product: 'hello', repo: 'acme/hello' };
      const start = createIssueStart({ ...ref, requestId: 'r1', payloadKey: 'requests/r1' });
      expect(await (await harness.start(start)).result()).toEqual({ number: 7 });
      await expect(harness.start(start)).rejects.toThrow(/already/i);
      expect(harness.callInputs('createIssue')).toMatchObject([{ repo: 'acme/hello', payloadKey: 'requests/r1' }]);
    });
  });
});
