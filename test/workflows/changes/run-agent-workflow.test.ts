import { WithStartWorkflowOperation } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { expect, it } from 'vitest';
import { type Reason, ServiceError } from '../../../src/errors.ts';
import {
  approveStepUpdate,
  cancelRunUpdate,
  waitForRunUpdate,
  runProgressQuery,
  retryStepUpdate,
  runAgentWorkflowStart,
} from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const conflict = (type: Reason, message: string) => ({ cause: { type, message: expect.stringContaining(message) } });

describeWithTemporal('runAgentWorkflow', () => {
  it('runs a Change from the issue to the merge and starts the Release', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      expect(await handle.executeUpdate(waitForRunUpdate)).toEqual({ run: change.run });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.isReady).toBe(true);
      expect(await handle.query(runProgressQuery)).toEqual({
        phase: 'WaitingForPerson',
        step: undefined,
        waitingFor: 'member',
      });

      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha: 'head-1' }) });
      // The update returns only once the decision is in the store.
      expect(change.step('approve-change').decision).toMatchObject({
        by: 'bob',
        outcome: 'approved',
        headSha: 'head-1',
      });
      await handle.result();
      expect(change.status).toMatchObject({
        phase: 'Succeeded',
        mergeCommit: 'c0ffee',
        issue: { title: 'Greet by name', author: 'ada' },
        pullRequest: { number: 8, headSha: 'head-1' },
      });
      expect(change.status.steps.map(({ phase }) => phase)).toEqual([
        ...Array.from({ length: 4 }, () => 'Succeeded'),
        'Skipped',
        'Succeeded',
      ]);
      expect(harness.callInputs('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'head-1' })]);
      expect(harness.callInputs('openPullRequest')).toHaveLength(1);
      await eventually(() => harness.calledActivities()).toContain('openRelease');
    });
  });

  it('rejects messages that name another run of the same target', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const run = 'change-hello-7-00000000';
      const rejection = conflict('run-not-active', `"${run}" is not in progress`);
      await expect(
        handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { run }) }),
      ).rejects.toMatchObject(rejection);
      await expect(handle.executeUpdate(cancelRunUpdate, { args: [{ run, by: 'bob' }] })).rejects.toMatchObject(
        rejection,
      );
      await expect(
        handle.executeUpdate(retryStepUpdate, { args: [{ run, step: 'implement', by: 'bob' }] }),
      ).rejects.toMatchObject(rejection);
      expect(change.phase()).toBe('WaitingForPerson');
    });
  });

  it('rejects an approval before the step waits for one', async () => {
    const approvalTried = Promise.withResolvers<void>();
    const change = new ChangeFixture({
      turn: async (input) => {
        await approvalTried.promise;
        return change.successfulTurn(input);
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => harness.calledActivities()).toContain('runAgentTurn');
      await expect(handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) })).rejects.toMatchObject(
        conflict('step-not-waiting', 'is Pending, not Waiting'),
      );
      approvalTried.resolve();
      await eventually(() => change.phase()).toBe('WaitingForPerson');
    });
  });

  it('returns the reason to the caller when the run cannot be opened', async () => {
    const change = new ChangeFixture();
    const openRun = async (): Promise<never> => {
      throw new ServiceError('not-found', 'No AgentRole named "implementer" in org "acme".');
    };
    await withWorkflowHarness({ ...change.activities, openRun }, async (harness) => {
      const input = buildChangeInput(harness.taskQueue);
      const { type, options } = runAgentWorkflowStart(input);
      const startWorkflowOperation = new WithStartWorkflowOperation<Workflow>(type, {
        ...options,
        taskQueue: harness.taskQueue,
      });
      const update = harness.client.workflow.executeUpdateWithStart(waitForRunUpdate, { startWorkflowOperation });
      const rejection = { cause: { type: 'not-found', message: 'No AgentRole named "implementer" in org "acme".' } };
      await expect(update).rejects.toMatchObject(rejection);
      const handle = await startWorkflowOperation.workflowHandle();
      harness.track({ workflowId: handle.workflowId, firstExecutionRunId: (await handle.describe()).runId });
      await expect(handle.result()).rejects.toMatchObject(rejection);
    });
  });

  it('finishes as Cancelled and closes its pull request when Temporal cancels the whole workflow', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.cancel();
      await handle.result().catch(() => undefined);
      expect(change.phase()).toBe('Cancelled');
      expect(change.pullRequest.state).toBe('closed');
    });
  });
});
