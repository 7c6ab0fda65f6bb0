import { Context } from '@temporalio/activity';
import { expect, it } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { MergeOutcome } from '../../../src/integrations/codehost/codehost.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import type { RunTarget } from '../../../src/rules/changes/kinds.ts';
import { approveStepUpdate, cancelRunUpdate } from '../../../workflows/changes/messages.ts';
import { promoteReleaseId } from '../../../src/rules/releases/promote-release-id.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { waitUntilCancelSeen } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const merged: MergeOutcome = { outcome: 'merged', commit: 'c0ffee' };

/** Returns the outcomes one after the other, and merges after the last one. */
function mergeAfter(...outcomes: (() => MergeOutcome)[]): () => Promise<MergeOutcome> {
  return async () => outcomes.shift()?.() ?? merged;
}

describeWithTemporal('runMergeStep', () => {
  it('requests a new approval when the head has moved', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = mergeAfter(() => {
      change.push('pushed-by-eve');
      return { outcome: 'head-moved', message: 'Head branch was modified.' };
    });
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha: 'head-1' }) });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      expect(change.status.pullRequest?.headSha).toBe('pushed-by-eve');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha: 'pushed-by-eve' }) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'pushed-by-eve']);
    });
  });

  it('requests a new approval when the pull request has another base', async () => {
    const change = new ChangeFixture();
    const merge = change.activities.mergePullRequest!;
    const mergePullRequest: Activities['mergePullRequest'] = async (input) => {
      if (input.baseBranch === 'hotfix') return await merge(input);
      change.pullRequest = { ...change.pullRequest, baseBranch: 'hotfix' };
      return { outcome: 'retargeted', message: 'Pull request #8 merges into "hotfix" now, not into "main".' };
    };
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      for (const baseBranch of ['main', 'hotfix']) {
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        expect(change.status.baseBranch).toBe(baseBranch);
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha: 'head-1' }) });
      }
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('mergePullRequest').map(({ baseBranch }) => baseBranch)).toEqual(['main', 'hotfix']);
    });
  });

  it('keeps the Release running when its Change is cancelled after the merge', async () => {
    const steps: StepSpec[] = [...changeAgentWorkflow.steps, { name: 'announce', type: 'human' }];
    const change = new ChangeFixture({ steps });
    const built = Promise.withResolvers<{ outcome: 'built'; digest: string }>();
    await withWorkflowHarness(
      { ...change.activities, buildImage: async () => await built.promise },
      async (harness) => {
        const handle = await startChange(harness);
        await eventually(() => change.phase('approve-change')).toBe('Waiting');
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
        await eventually(() => change.phase('announce')).toBe('Waiting');
        await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
        expect(change.phase()).toBe('Cancelled');
        built.resolve({ outcome: 'built', digest: 'sha256:1' });
        const release = promoteReleaseId({ org: harness.taskQueue, product: 'hello', commit: 'c0ffee' });
        await harness.client.workflow.getHandle(release).result();
        expect(harness.calledActivities()).toContain('tagRelease');
      },
    );
  });

  it('completes a merge that is in progress when a person cancels the run, and refuses the cancellation', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = async (): Promise<MergeOutcome> => {
      await waitForCancellation().catch(() => undefined);
      return merged;
    };
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase('approve-change')).toBe('Waiting');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => harness.calledActivities()).toContain('mergePullRequest');
      await expect(
        handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] }),
      ).rejects.toMatchObject({
        cause: {
          type: 'run-finished',
          message: `The run "${change.run}" has already finished: its phase is Succeeded.`,
        },
      });
      expect(change.status).toMatchObject({ phase: 'Succeeded', mergeCommit: 'c0ffee' });
      expect(change.status).not.toHaveProperty('cancelledBy');
      expect(change.isBranchDeleted).toBe(true);
      const release = promoteReleaseId({ org: harness.taskQueue, product: 'hello', commit: 'c0ffee' });
      await harness.client.workflow.getHandle(release).result();
      expect(harness.calledActivities()).toContain('tagRelease');
    });
  });

  it.each(['readRunRepo', 'deleteRunBranch'] as const)(
    'succeeds when Temporal cancels the workflow after its merge, during %s',
    async (name) => {
      const change = new ChangeFixture();
      const held = Promise.withResolvers<void>();
      const activity = change.activities[name] as (ref: { org: string; run: string }) => Promise<string>;
      const hold = async (ref: { org: string; run: string }): Promise<string> => {
        await Promise.race([held.promise, Context.current().cancelled]);
        return await activity(ref);
      };
      await withWorkflowHarness({ ...change.activities, [name]: hold }, async (harness) => {
        const handle = await startChange(harness);
        await eventually(() => change.phase('approve-change')).toBe('Waiting');
        await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
        await eventually(() => harness.calledActivities()).toContain(name);
        await handle.cancel();
        await waitUntilCancelSeen(handle);
        held.resolve();
        await handle.result().catch(() => undefined);
        expect(change.status).toMatchObject({ phase: 'Succeeded', mergeCommit: 'c0ffee' });
        await eventually(() => harness.calledActivities()).toContain('openRelease');
      });
    },
  );

  it('finds the merge of a cancelled attempt whose outcome was lost', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = async (): Promise<MergeOutcome> => {
      if (change.pullRequest.state === 'closed') return merged;
      change.pullRequest = { ...change.pullRequest, state: 'closed' };
      return await waitForCancellation();
    };
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase('approve-change')).toBe('Waiting');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => harness.calledActivities()).toContain('mergePullRequest');
      await expect(
        handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] }),
      ).rejects.toMatchObject({ cause: { type: 'run-finished' } });
      expect(change.status).toMatchObject({ phase: 'Succeeded', mergeCommit: 'c0ffee' });
      await eventually(() => harness.calledActivities()).toContain('openRelease');
    });
  });

  it.each([
    ['is not merged', undefined],
    ['cannot be read', new ServiceError('codehost-not-connected', 'The org is not connected to its code host.')],
  ])('is cancelled during an attempt when the pull request %s', async (_state, failure) => {
    const change = new ChangeFixture();
    let isAttempted = false;
    const mergePullRequest = async (): Promise<MergeOutcome> => {
      isAttempted = true;
      return await waitForCancellation();
    };
    const readPullRequest = async () => {
      if (failure && isAttempted) throw failure;
      return change.pullRequest;
    };
    await withWorkflowHarness({ ...change.activities, mergePullRequest, readPullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase('approve-change')).toBe('Waiting');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => harness.calledActivities()).toContain('mergePullRequest');
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.status).toMatchObject({ phase: 'Cancelled', cancelledBy: { by: 'bob' } });
      expect(change.status).not.toHaveProperty('failure');
      expect(change.phase('merge')).toBe('Cancelled');
      expect(harness.callInputs('mergePullRequest')).toHaveLength(1);
      expect(change.pullRequest.state).toBe('closed');
    });
  });

  it('retries when only the base has moved', async () => {
    const change = new ChangeFixture();
    const moved = (): MergeOutcome => ({ outcome: 'base-moved', message: 'Base branch was modified.' });
    await withWorkflowHarness({ ...change.activities, mergePullRequest: mergeAfter(moved, moved) }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('mergePullRequest')).toHaveLength(3);
    });
  });

  it('records once who committed to a head before it merges, also when no person approves it', async () => {
    const change = new ChangeFixture({ steps: changeAgentWorkflow.steps.filter(({ type }) => type !== 'human') });
    const moved = (): MergeOutcome => ({ outcome: 'base-moved', message: 'Base branch was modified.' });
    await withWorkflowHarness({ ...change.activities, mergePullRequest: mergeAfter(moved) }, async (harness) => {
      const handle = await startChange(harness);
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      const names = ['recordCommitters', 'mergePullRequest', 'deleteRunBranch'];
      expect(harness.calledActivities().filter((name) => names.includes(name))).toEqual([
        'recordCommitters',
        'mergePullRequest',
        'mergePullRequest',
        'deleteRunBranch',
      ]);
    });
  });

  it('fails with the code host’s message when the pull request is closed', async () => {
    const change = new ChangeFixture();
    const closed = mergeAfter(() => ({ outcome: 'closed', message: 'Pull request #8 is closed.' }));
    await withWorkflowHarness({ ...change.activities, mergePullRequest: closed }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { message: 'Pull request #8 is closed.' } });
      expect(change.phase('merge')).toBe('Failed');
    });
  });

  it('returns to the resolver at most three times, and counts each round first', async () => {
    const change = new ChangeFixture();
    const recordedRounds: (number | undefined)[] = [];
    const mergePullRequest = async (): Promise<MergeOutcome> => {
      recordedRounds.push(change.status.conflictRounds);
      change.pullRequest = { ...change.pullRequest, mergeable: 'conflicted' };
      return { outcome: 'conflicted', message: 'Pull request #8 conflicts with its base.' };
    };
    let merges = 0;
    const mergeBaseBranch = async () =>
      ({ outcome: 'merged', headSha: change.push(`with-base-${(merges += 1)}`) }) as const;
    await withWorkflowHarness({ ...change.activities, mergePullRequest, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(recordedRounds).toEqual([undefined, 1, 2, 3]);
      expect(change.status).toMatchObject({
        phase: 'Failed',
        conflictRounds: 3,
        failure: { message: 'Pull request #8 conflicts with its base.' },
      });
      expect(harness.callInputs('mergeBaseBranch')).toHaveLength(3);
    });
  });

  it('accepts a head that adds only merges of the base, and keeps the approval', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = mergeAfter(() => ({ outcome: 'head-moved', message: 'It moved.', headSha: 'updated' }));
    const checkUnreviewedCommits = async () => ({ headSha: change.push('updated'), hasUnreviewedCommits: false });
    await withWorkflowHarness({ ...change.activities, mergePullRequest, checkUnreviewedCommits }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('checkUnreviewedCommits')).toMatchObject([{ reviewedSha: 'head-1' }]);
      expect(harness.callInputs('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'updated']);
      expect(change.step('approve-change').decision?.headSha).toBe('head-1');
    });
  });

  it('fails after the last attempt with the code host’s last message', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = async (): Promise<MergeOutcome> => ({ outcome: 'base-moved', message: 'Not yet.' });
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(harness.callInputs('mergePullRequest')).toHaveLength(60);
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { message: expect.stringContaining('Not yet.') },
      });
    });
  });

  it('fails for unreviewed commits when no step approves them, and merges them on a retry', async () => {
    const steps = changeAgentWorkflow.steps.filter(({ type }) => type !== 'human');
    const change = new ChangeFixture({ steps });
    const mergePullRequest = mergeAfter(() => {
      change.push('pushed-by-eve');
      return { outcome: 'head-moved', message: 'It has other commits.' };
    });
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { message: 'It has other commits.' } });
      const input = buildChangeInput(harness.taskQueue);
      const decision = { run: change.run, step: 'merge', by: 'bob' };
      await (await startChange(harness, { ...input, resume: { run: change.run, retry: { decision } } })).result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'pushed-by-eve']);
    });
  });

  it.each<[whose: string, target: RunTarget | undefined]>([
    ['the run', undefined],
    ['a person', { repo: 'acme/hello', number: 8, kind: 'pull-request' }],
  ])('fails when the pull request of %s has another base and no step approves it', async (_, target) => {
    const steps = changeAgentWorkflow.steps.filter(({ name }) => ['implement', 'merge'].includes(name));
    const change = new ChangeFixture({ steps });
    const issue = { title: 'Greet', url: 'http://host/8', author: 'eve' };
    const shown = { pullRequest: { number: 8, url: change.pullRequest.url, headSha: 'a1' }, baseBranch: 'main' };
    const readTarget = async () => (target ? { ...issue, ...shown } : issue);
    // The author of a pull request may change its base at any time.
    const retarget = () => (change.pullRequest = { ...change.pullRequest, baseBranch: 'hotfix' });
    const openPullRequest = async () => (target ? retarget() : change.pullRequest);
    const mergePullRequest = async ({ baseBranch }: { baseBranch?: string }) => {
      const { baseBranch: current } = retarget();
      const isShown = baseBranch === undefined || baseBranch === current;
      return isShown ? merged : ({ outcome: 'retargeted', message: 'It has another base.' } as const);
    };
    const activities = { ...change.activities, readTarget, openPullRequest, mergePullRequest };
    await withWorkflowHarness(activities, async (harness) => {
      const input = { ...buildChangeInput(harness.taskQueue), ...(target && { target }) };
      await (await startChange(harness, input)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { message: 'It has another base.' } });
      // The person who retries the step has seen the base.
      const decision = { run: change.run, step: 'merge', by: 'bob' };
      await (await startChange(harness, { ...input, resume: { run: change.run, retry: { decision } } })).result();
      expect(change.status).toMatchObject({ phase: 'Succeeded', baseBranch: 'hotfix' });
    });
  });

  it('succeeds without a Release when nothing is left to merge', async () => {
    const change = new ChangeFixture();
    const mergePullRequest = mergeAfter(() => ({ outcome: 'up-to-date', message: '"main" has all of it already.' }));
    await withWorkflowHarness({ ...change.activities, mergePullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.step('merge')).toMatchObject({
        phase: 'Skipped',
        verdict: { summary: '"main" has all of it already.' },
      });
      expect(change.pullRequest.state).toBe('closed');
      expect(harness.calledActivities()).not.toContain('openRelease');
    });
  });

  it('repeats the agent steps between the resolver and the merge after each round', async () => {
    const check: StepSpec = { name: 'check', type: 'agent', role: 'test-reviewer', mode: 'report' };
    const steps = changeAgentWorkflow.steps.toSpliced(-1, 0, check);
    const change = new ChangeFixture({ steps });
    const mergePullRequest = mergeAfter(() => {
      change.pullRequest = { ...change.pullRequest, mergeable: 'conflicted' };
      return { outcome: 'conflicted', message: 'It conflicts.' };
    });
    const mergeBaseBranch = async () =>
      ({ outcome: 'merged', headSha: change.push('with-base'), hasUnreviewedCommits: false }) as const;
    await withWorkflowHarness({ ...change.activities, mergePullRequest, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Succeeded', conflictRounds: 1 });
      const { callInputs } = harness;
      expect(
        callInputs('runAgentTurn')
          .filter(({ step }) => step === 'check')
          .map(({ turn }) => turn),
      ).toEqual([1, 2]);
    });
  });
});
