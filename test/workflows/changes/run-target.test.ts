import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { ChangeFixture, startChange } from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('recordTarget', () => {
  it('fails when the issue does not exist, and cancels the turn in progress', async () => {
    const change = new ChangeFixture({ turn: waitForCancellation });
    const readTarget = async (): Promise<never> => {
      await eventually(() => change.phase('implement')).toBe('Running');
      throw new ServiceError('not-found', 'No issue #7 in acme/hello.');
    };
    await withWorkflowHarness({ ...change.activities, readTarget }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { message: 'No issue #7 in acme/hello.', fix: 'Start a run on an existing issue.' },
      });
      expect(change.phase('implement')).toBe('Failed');
      expect(change.phase('approve-change')).toBe('Pending');
    });
  });
});
