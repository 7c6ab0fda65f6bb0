import { setTimeout } from 'node:timers/promises';
import { WithStartWorkflowOperation } from '@temporalio/client';
import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import {
  approveStep,
  cancelRun,
  opened,
  progress,
  retryStep,
  runAgentWorkflowId,
} from '../../../workflows/changes/messages.ts';
import type { runAgentWorkflow } from '../../../workflows/index.ts';
import { untilCancelled } from '../../support/until-cancelled.ts';
import { AChange, changeInput, decisionOn, ended, startChange } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const conflict = (message: string) => ({ cause: { type: 'conflict', message: expect.stringContaining(message) } });

describeWithTemporal('runAgentWorkflow', () => {
  it('takes a Change from the issue to its merge and starts the Release', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      expect(await handle.executeUpdate(opened)).toEqual({ run: change.run });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.ready).toBe(true);
      expect(await handle.query(progress)).toEqual({
        phase: 'WaitingForPerson',
        step: undefined,
        waitingFor: 'member',
      });

      await handle.executeUpdate(approveStep, { args: decisionOn(change, { headSha: 'head-1' }) });
      // Answered only once it is in the store.
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
      expect(world.calls('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'head-1' })]);
      expect(world.calls('openPullRequest')).toHaveLength(1);
      await eventually(() => world.called()).toContain('openRelease');
    });
  });

  it('sends the work back when a review asks for changes, and goes on once all approve', async () => {
    const change = new AChange({
      turn: (input) =>
        input.step === 'review-code' && input.turn === 1
          ? ended('changes-requested', 'Names are not escaped.')
          : change.goodTurn(input),
    });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', turns: 2, rounds: 1 });
      expect(change.step('review-tests')).toMatchObject({ phase: 'Succeeded', turns: 2 });
      const turns = world.calls('agentTurn').filter(({ step }) => step === 'implement');
      expect(turns.map(({ opening }) => opening)).toEqual(['start', 'changes-requested']);

      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(world.calls('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'head-2' })]);
    });
  });

  it('skips what is left when the agent found nothing to change', async () => {
    const change = new AChange({ turn: () => ended('done', 'It greets already.') });
    await onTemporal(change.activities, async (world) => {
      await (await startChange(world)).result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.status.steps.map(({ phase }) => phase)).toEqual([
        'Succeeded',
        ...Array.from({ length: 5 }, () => 'Skipped'),
      ]);
      expect(world.called()).not.toContain('openPullRequest');
    });
  });

  it('does not let the first turn wait for the title of the issue, but the pull request', async () => {
    const change = new AChange();
    let titleAtOpening: string | undefined;
    const turnTaken = Promise.withResolvers<void>();
    const agentTurn: typeof change.activities.agentTurn = async (input) => {
      turnTaken.resolve();
      return change.goodTurn(input);
    };
    const readTarget = async () => {
      await turnTaken.promise;
      // Long enough for a pull request that would not wait.
      await setTimeout(200);
      return { title: 'Greet by name', url: 'http://host/issues/7', author: 'ada' };
    };
    const openPullRequest = async () => {
      titleAtOpening = change.status.issue?.title;
      return change.pull;
    };
    await onTemporal({ ...change.activities, agentTurn, readTarget, openPullRequest }, async (world) => {
      await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(titleAtOpening).toBe('Greet by name');
    });
  });

  it('fails where the issue is not there, and stops the turn that had begun', async () => {
    const change = new AChange({ turn: untilCancelled });
    const readTarget = async (): Promise<never> => {
      await eventually(() => change.phase('implement')).toBe('Running');
      throw new ServiceError('not-found', 'No issue #7 in acme/hello.');
    };
    await onTemporal({ ...change.activities, readTarget }, async (world) => {
      await (await startChange(world)).result();
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: 'No issue #7 in acme/hello.', fix: 'Start a run on an issue that is there.' },
      });
      expect(change.phase('implement')).toBe('Failed');
      expect(change.phase('approve-change')).toBe('Pending');
    });
  });

  it('closes the pull request of a cancelled run, and answers once that is done', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(cancelRun, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.status).toMatchObject({ phase: 'Cancelled', finishedAt: expect.any(String) });
      expect(change.step('implement').phase).toBe('Succeeded');
      expect(change.step('approve-change')).toMatchObject({ phase: 'Cancelled' });
      expect(change.step('approve-change')).not.toHaveProperty('waitingFor');
      expect(change.pull.state).toBe('closed');
      await handle.result();
      expect(world.called()).not.toContain('mergePullRequest');
    });
  });

  it('refuses messages that name another run of the same target', async () => {
    const change = new AChange();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const run = 'change-hello-7-00000000';
      const refusal = conflict(`"${run}" is not going on any more`);
      await expect(handle.executeUpdate(approveStep, { args: decisionOn(change, { run }) })).rejects.toMatchObject(
        refusal,
      );
      await expect(handle.executeUpdate(cancelRun, { args: [{ run, by: 'bob' }] })).rejects.toMatchObject(refusal);
      await expect(
        handle.executeUpdate(retryStep, { args: [{ run, step: 'implement', by: 'bob' }] }),
      ).rejects.toMatchObject(refusal);
      expect(change.phase()).toBe('WaitingForPerson');
    });
  });

  it('refuses an approval before there is anything to approve', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const change = new AChange({
      turn: async (input) => {
        await held;
        return change.goodTurn(input);
      },
    });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => world.called()).toContain('agentTurn');
      await expect(handle.executeUpdate(approveStep, { args: decisionOn(change) })).rejects.toMatchObject(
        conflict('is Pending, not Waiting'),
      );
      release();
      await eventually(() => change.phase()).toBe('WaitingForPerson');
    });
  });

  it('tries a failed step again when it is started to, and keeps what had passed', async () => {
    let isBroken = true;
    const change = new AChange({
      turn: (input) => {
        if (isBroken && input.step === 'review-code') throw new ServiceError('invalid', 'The branch is gone.');
        return change.goodTurn(input);
      },
    });
    await onTemporal(change.activities, async (world) => {
      await (await startChange(world)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { reason: 'The branch is gone.' } });
      expect(change.step('review-code')).toMatchObject({
        phase: 'Failed',
        failure: {
          reason: 'The branch is gone.',
          resource: `step review-code of run ${change.run}`,
          fix: expect.any(String),
        },
      });
      // A retry needs the branch and its pull request.
      expect(change.pull.state).toBe('open');

      isBroken = false;
      const retry = { run: change.run, retry: 'review-code', by: 'bob' };
      const again = await startChange(world, { ...changeInput(world.taskQueue), resume: retry });
      await again.executeUpdate(retryStep, { args: [{ run: change.run, step: 'review-code', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.status).not.toHaveProperty('failure');
      expect(change.step('review-code')).not.toHaveProperty('failure');
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', turns: 1 });
      await again.executeUpdate(approveStep, { args: decisionOn(change) });
      await again.result();
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('says why it could not open the run, to whoever waits for that', async () => {
    const change = new AChange();
    const openRun = async (): Promise<never> => {
      throw new ServiceError('not-found', 'No AgentRole named "implementer" in org "acme".');
    };
    await onTemporal({ ...change.activities, openRun }, async (world) => {
      const input = changeInput(world.taskQueue);
      const startWorkflowOperation = new WithStartWorkflowOperation<typeof runAgentWorkflow>('runAgentWorkflow', {
        workflowId: runAgentWorkflowId(input),
        taskQueue: world.taskQueue,
        workflowIdConflictPolicy: 'FAIL',
        args: [input],
      });
      const answer = world.client.workflow.executeUpdateWithStart(opened, { startWorkflowOperation });
      const refusal = { cause: { type: 'not-found', message: 'No AgentRole named "implementer" in org "acme".' } };
      await expect(answer).rejects.toMatchObject(refusal);
      const handle = await startWorkflowOperation.workflowHandle();
      world.track({ workflowId: handle.workflowId, firstExecutionRunId: (await handle.describe()).runId });
      await expect(handle.result()).rejects.toMatchObject(refusal);
    });
  });
});
