import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { approveStepUpdate, cancelRunUpdate, retryStepUpdate } from '../../../workflows/changes/messages.ts';
import {
  ChangeFixture,
  buildChangeInput,
  buildDecision,
  buildTurnOutcome,
  startChange,
} from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('finishRun', () => {
  it('closes the pull request of a cancelled run before the cancellation returns', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.status).toMatchObject({ phase: 'Cancelled', finishedAt: expect.any(String) });
      expect(change.step('implement').phase).toBe('Succeeded');
      expect(change.step('approve-change')).toMatchObject({ phase: 'Cancelled' });
      expect(change.step('approve-change')).not.toHaveProperty('waitingFor');
      expect(change.pullRequest.state).toBe('closed');
      await handle.result();
      expect(harness.calledActivities()).not.toContain('mergePullRequest');
    });
  });

  it('finishes a cancelled run whose code host stays away', async () => {
    const change = new ChangeFixture();
    const closePullRequest = async () => Promise.reject(new Error('The repo is gone.'));
    await withWorkflowHarness({ ...change.activities, closePullRequest }, async (harness) => {
      const intervals = { pollIntervalMs: 1, cleanUpMs: 200 };
      const handle = await startChange(harness, { ...buildChangeInput(harness.taskQueue), intervals });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Cancelled', cancelledBy: { by: 'bob' } });
      expect(change.pullRequest.state).toBe('open');
    });
  });

  it('ends the wait of a cancelled step for its next attempt', async () => {
    const change = new ChangeFixture({
      turn: () => {
        throw new ServiceError('model-provider-unavailable', 'Overloaded.', { retryAfterMs: 3_600_000 });
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.status.steps[0]?.retrying?.attempt).toBe(1);
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.step('implement')).toMatchObject({ phase: 'Cancelled' });
      expect(change.step('implement')).not.toHaveProperty('retrying');
      await handle.result();
    });
  });

  it('retries a failed step in a new execution, and keeps the passed steps', async () => {
    let isBranchMissing = true;
    const change = new ChangeFixture({
      turn: (input) => {
        if (isBranchMissing && input.step === 'review-code')
          throw new ServiceError('invalid', 'The branch does not exist.');
        return change.successfulTurn(input);
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { message: 'The branch does not exist.' } });
      expect(change.step('review-code')).toMatchObject({
        phase: 'Failed',
        failure: {
          message: 'The branch does not exist.',
          resource: `step review-code of run ${change.run}`,
          fix: expect.any(String),
        },
      });
      // A retry needs the branch and its pull request.
      expect(change.pullRequest.state).toBe('open');

      isBranchMissing = false;
      const decision = { run: change.run, step: 'review-code', by: 'bob' };
      const retried = await startChange(harness, {
        ...buildChangeInput(harness.taskQueue),
        resume: { run: change.run, retry: { decision } },
      });
      await retried.executeUpdate(retryStepUpdate, { args: [decision] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.status).not.toHaveProperty('failure');
      expect(change.step('review-code')).not.toHaveProperty('failure');
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', turns: 1 });
      await retried.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await retried.result();
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('starts a failed step over in a new execution, without its review rounds', async () => {
    let isBroken = true;
    const change = new ChangeFixture({
      turn: (input) => {
        if (input.step === 'implement' && input.turn === 2 && isBroken) throw new ServiceError('invalid', 'Broken.');
        if (input.step === 'review-code' && isBroken) return buildTurnOutcome('changes-requested');
        return change.successfulTurn(input);
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.step('implement')).toMatchObject({ phase: 'Failed', reviewRounds: 1 });
      isBroken = false;
      const decision = { run: change.run, step: 'implement', by: 'bob', startOver: true };
      const input = { ...buildChangeInput(harness.taskQueue), resume: { run: change.run, retry: { decision } } };
      const retried = await startChange(harness, input);
      await retried.executeUpdate(retryStepUpdate, { args: [decision] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).not.toHaveProperty('reviewRounds');
      const turns = harness.callInputs('runAgentTurn').filter(({ step }) => step === 'implement');
      expect(turns.map(({ turn, trigger }) => `${turn} ${trigger}`)).toEqual([
        '1 start',
        '2 changes-requested',
        '2 restart',
      ]);
    });
  });
});
