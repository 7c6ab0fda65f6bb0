import { expect, it } from 'vitest';
import { approveStepUpdate, pullRequestClosedSignal } from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

describeWithTemporal('recordClosure', () => {
  it('asks for the approval of a pull request that a person merges, and releases it then', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const since = change.step('approve-change').waitingFor?.since;
      change.pullRequest = { ...change.pullRequest, state: 'closed', isMerged: true };
      await handle.signal(pullRequestClosedSignal, { run: 'another-run' });
      await handle.signal(pullRequestClosedSignal, { run: change.run });
      const message = 'pull request #8 was merged on the code host: approve the Change to continue, or reject it';
      await eventually(() => change.step('approve-change').waitingFor).toEqual({ role: 'member', since, message });
      expect(harness.callInputs('readPullRequest')).toHaveLength(1);
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Succeeded', mergeCommit: 'c0ffee' });
    });
  });

  it('fails a step whose pull request a person closes, and waits again after a retry', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      change.pullRequest = { ...change.pullRequest, state: 'closed', isMerged: false };
      await handle.signal(pullRequestClosedSignal, { run: change.run });
      await handle.result();
      const failure = { reason: 'pull-request-closed', message: 'Pull request #8 was closed without a merge.' };
      expect(change.status).toMatchObject({ phase: 'Failed', failure });
      expect(harness.calledActivities()).not.toContain('closePullRequest');

      const decision = { run: change.run, step: 'approve-change', by: 'bob' };
      const retry = { ...buildChangeInput(harness.taskQueue), resume: { run: change.run, retry: { decision } } };
      // It is still closed when the first retry begins.
      await (await startChange(harness, retry)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure });
      change.pullRequest = { ...change.pullRequest, state: 'open' };
      const retried = await startChange(harness, retry);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await retried.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await retried.result();
      expect(change.phase()).toBe('Succeeded');
    });
  });
});
