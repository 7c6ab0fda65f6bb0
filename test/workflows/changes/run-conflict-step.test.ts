import { expect, it } from 'vitest';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { approveStepUpdate, cancelRunUpdate, guideStepUpdate } from '../../../workflows/changes/messages.ts';
import { waitForCancellation } from '../../support/workflows/wait-for-cancellation.ts';
import { ChangeFixture, buildDecision, buildTurnOutcome, startChange } from '../../support/workflows/change-fixture.ts';
import { waitUntilChildHandled } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

/** Builds a Change whose pull request conflicts with its base. */
function buildConflictedChange(options: ConstructorParameters<typeof ChangeFixture>[0] = {}): ChangeFixture {
  const change = new ChangeFixture(options);
  change.pullRequest = { ...change.pullRequest, mergeable: 'conflicted' };
  return change;
}
const resolve = (change: ChangeFixture): void =>
  void (change.pullRequest = { ...change.pullRequest, mergeable: 'yes' });

/** Approves a Change, and returns once the agent that resolves its conflict needs guidance. */
async function startUntilGuidance(change: ChangeFixture, harness: WorkflowHarness) {
  const handle = await startChange(harness);
  await eventually(() => change.phase()).toBe('WaitingForPerson');
  await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
  await eventually(() => change.phase()).toBe('NeedsGuidance');
  const guide = async () =>
    await handle.executeUpdate(guideStepUpdate, { args: [{ run: change.run, step: 'resolve-conflicts', by: 'bob' }] });
  return { handle, guide };
}

describeWithTemporal('runConflictStep', () => {
  it('keeps the approval when git merges the base without conflicts', async () => {
    const change = buildConflictedChange();
    const mergeBaseBranch = async () => {
      resolve(change);
      return { outcome: 'merged', headSha: change.push('with-base') } as const;
    };
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.phase('resolve-conflicts')).toBe('Succeeded');
      expect(change.step('approve-change').decision?.headSha).toBe('head-1');
      expect(harness.callInputs('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['with-base']);
      const resolution = await harness.client.workflow
        .getHandle(`resolve-conflicts/${harness.taskQueue}/${change.run}`)
        .describe();
      expect(await resolution.staticSummary()).toBe(`Conflicts of ${change.run}, round 1`);
    });
  });

  it('requests a new approval when an agent resolved the conflict', async () => {
    const change = buildConflictedChange({
      turn: (input) => {
        if (input.step !== 'resolve-conflicts') return change.successfulTurn(input);
        resolve(change);
        return { ...buildTurnOutcome('done'), headSha: change.push('resolved-by-agent') };
      },
    });
    const mergeBaseBranch = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => change.phase('resolve-conflicts')).toBe('Succeeded');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('resolve-conflicts')).toMatchObject({
        turns: 1,
        usage: { inputTokens: 100 },
        verdict: { outcome: 'done' },
      });
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { headSha: 'resolved-by-agent' }) });
      await handle.result();
      expect(harness.callInputs('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['resolved-by-agent']);
    });
  });

  it('is in progress again, without the end of its first round, when the merge finds a conflict', async () => {
    const change = new ChangeFixture();
    const rounds: unknown[] = [];
    const activities: typeof change.activities = {
      ...change.activities,
      mergePullRequest: async () => {
        if (rounds.length > 0) return { outcome: 'merged', commit: 'c0ffee' };
        change.pullRequest = { ...change.pullRequest, mergeable: 'conflicted' };
        return { outcome: 'conflicted', message: 'It conflicts.' };
      },
      mergeBaseBranch: async () => {
        rounds.push(change.step('resolve-conflicts'));
        resolve(change);
        return { outcome: 'merged', headSha: change.push('with-base') };
      },
    };
    await withWorkflowHarness(activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(rounds).toEqual([expect.objectContaining({ phase: 'Running' })]);
      expect(rounds[0]).not.toHaveProperty('finishedAt');
    });
  });

  it('waits for guidance when the agent cannot resolve the conflict, and continues with it', async () => {
    const change = buildConflictedChange({
      turn: (input) => {
        if (input.step !== 'resolve-conflicts') return change.successfulTurn(input);
        if (input.turn === 1) return buildTurnOutcome('needs-guidance', 'Both sides rename the greeting.');
        resolve(change);
        return { ...buildTurnOutcome('done'), headSha: change.push('resolved-by-agent') };
      },
    });
    const mergeBaseBranch = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const { guide } = await startUntilGuidance(change, harness);
      expect(change.step('resolve-conflicts').waitingFor?.message).toBe('Both sides rename the greeting.');
      await guide();
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const turns = harness.callInputs('runAgentTurn').filter(({ step }) => step === 'resolve-conflicts');
      expect(turns.map(({ turn, trigger }) => [turn, trigger])).toEqual([
        [1, 'conflicts'],
        [2, 'guidance'],
      ]);
    });
  });

  it('waits for guidance each time that the agent needs it', async () => {
    const change = buildConflictedChange({
      turn: (input) =>
        input.step === 'resolve-conflicts'
          ? buildTurnOutcome('needs-guidance', `Question ${input.turn}`)
          : change.successfulTurn(input),
    });
    const mergeBaseBranch = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const { handle, guide } = await startUntilGuidance(change, harness);
      await guide();
      await eventually(() => change.step('resolve-conflicts').waitingFor?.message).toBe('Question 2');
      await waitUntilChildHandled(handle);
      const { events } = await handle.fetchHistory();
      const resolutions = events?.filter((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
      expect(resolutions).toHaveLength(2);
    });
  });

  it('is cancelled with its run during a turn', async () => {
    const change = buildConflictedChange({
      turn: async (input) => {
        if (input.step !== 'resolve-conflicts') return change.successfulTurn(input);
        return await waitForCancellation();
      },
    });
    const mergeBaseBranch = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => harness.callInputs('runAgentTurn').some(({ step }) => step === 'resolve-conflicts')).toBe(
        true,
      );
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      await handle.result();
      expect(change.phase()).toBe('Cancelled');
      expect(change.phase('resolve-conflicts')).toBe('Cancelled');
      expect(change.pullRequest.state).toBe('closed');
    });
  });

  it('requests a new approval when the merge includes unreviewed commits', async () => {
    const change = buildConflictedChange();
    const mergeBaseBranch = async () => {
      resolve(change);
      return { outcome: 'merged', headSha: change.push('with-others'), hasUnreviewedCommits: true } as const;
    };
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await eventually(() => change.phase('resolve-conflicts')).toBe('Succeeded');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(harness.callInputs('mergeBaseBranch')).toMatchObject([{ reviewedSha: 'head-1' }]);
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      expect(change.status.pullRequest?.headSha).toBe('with-others');
    });
  });

  it('is skipped when the code host never computes whether the pull request conflicts', async () => {
    const change = new ChangeFixture();
    change.pullRequest = { ...change.pullRequest, mergeable: 'unknown' };
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('is skipped when the conflicted pull request is closed', async () => {
    const change = buildConflictedChange();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      change.pullRequest = { ...change.pullRequest, state: 'closed' };
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it.each([
    ['yes', 'Skipped', 0],
    ['conflicted', 'Succeeded', 1],
  ] as const)('runs a report step only for a conflict: mergeable %s, %s', async (mergeable, phase, turns) => {
    const look: StepSpec = {
      name: 'look',
      type: 'agent',
      role: 'code-reviewer',
      mode: 'report',
      when: { pullRequest: { conflicted: true } },
    };
    const change = new ChangeFixture({ steps: changeAgentWorkflow.steps.toSpliced(-2, 0, look) });
    change.pullRequest = { ...change.pullRequest, mergeable };
    const mergeBaseBranch = async () =>
      ({ outcome: 'merged', headSha: change.push('with-base'), hasUnreviewedCommits: false }) as const;
    await withWorkflowHarness({ ...change.activities, mergeBaseBranch }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.phase('look')).toBe(phase);
      expect(harness.callInputs('runAgentTurn').filter(({ step }) => step === 'look')).toHaveLength(turns);
    });
  });
});
