import { ApplicationFailure } from '@temporalio/common';
import { expect, inject, it, onTestFinished } from 'vitest';
import { scaffoldProductStart } from '../../../workflows/products/messages.ts';
import { startRepeatingProxy } from '../servers/repeating-proxy.ts';
import { describeWithTemporal } from './temporal-client.ts';
import { withWorkflowHarness } from './with-workflow-harness.ts';

describeWithTemporal('the workflow harness', () => {
  it('calls a local activity once, although the server rejects its task and the next one has a later time', async () => {
    const proxy = await startRepeatingProxy(inject('temporalAddress') ?? '');
    onTestFinished(async () => await proxy.close());
    const activities = {
      createSourceRepo: async () => {},
      commitSource: async () => ({ repo: 'acme/fresh', commit: 'c'.repeat(40) }),
      hasRelease: async () => true,
      recordScaffold: async () => true,
      openRelease: async () => {
        throw ApplicationFailure.nonRetryable('The test ends here.', 'not-found');
      },
    };
    await withWorkflowHarness(
      activities,
      async (harness) => {
        const input = { org: harness.taskQueue, product: 'fresh', uid: 'u1', by: 'ada@example.com' };
        await (await harness.start(scaffoldProductStart(input))).result();
        const phases = harness.callInputs('recordScaffold').map(({ patch }) => patch.phase);
        expect(phases).toEqual(['CreatingRepo', 'Committing', 'StartingRelease', 'Succeeded']);
      },
      proxy.address,
    );
    expect([...proxy.repeated]).toContain('recordScaffold');
  });
});
