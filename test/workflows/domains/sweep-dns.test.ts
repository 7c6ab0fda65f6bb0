import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { sweepDnsStart } from '../../../workflows/domains/messages.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('sweepDns', () => {
  it('sweeps its shard in batches of rounds', async () => {
    const shard = Math.floor(Math.random() * 1e9);
    let batches = 0;
    const sweepDomains = async (): Promise<void> => {
      batches += 1;
      if (batches > 2) await waitForCancellation();
    };
    await withWorkflowHarness({ sweepDomains }, async (harness) => {
      await harness.start(sweepDnsStart({ shard, intervalMs: 5 }));
      await eventually(() => harness.callInputs('sweepDomains')).toHaveLength(3);
      expect(harness.callInputs('sweepDomains')[0]).toEqual({ shard, intervalMs: 5, rounds: 60 });
    });
  });

  it('goes on when a batch is refused', async () => {
    const shard = Math.floor(Math.random() * 1e9);
    let batches = 0;
    const sweepDomains = async (): Promise<void> => {
      batches += 1;
      if (batches === 1) throw ApplicationFailure.nonRetryable('A policy refuses it.');
      await waitForCancellation();
    };
    await withWorkflowHarness({ sweepDomains }, async (harness) => {
      await harness.start(sweepDnsStart({ shard, intervalMs: 5 }));
      await eventually(() => harness.callInputs('sweepDomains')).toHaveLength(2);
    });
  });
});
