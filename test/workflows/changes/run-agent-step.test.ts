import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { defaultAgentWorkflows } from '../../../src/rules/agents/default-workflows.ts';
import { retryStepUpdate } from '../../../workflows/changes/messages.ts';
import {
  ChangeFixture,
  buildChangeInput,
  buildTurnOutcome,
  startChange,
} from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const { steps } = defaultAgentWorkflows['issue-hydration'];
const post = { to: 'acme/hello#7', url: 'http://host/issues/7#1' };

describeWithTemporal('runAgentStep', () => {
  it('succeeds once its draft is delivered', async () => {
    const change = new ChangeFixture({ steps, turn: () => buildTurnOutcome('done') });
    const deliverDraft = async () => {
      expect(change.step('hydrate')).toMatchObject({ phase: 'Running', verdict: { outcome: 'done' } });
      return [post];
    };
    await withWorkflowHarness({ ...change.activities, deliverDraft }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.step('hydrate')).toMatchObject({ phase: 'Succeeded', posts: [post] });
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('deliverDraft')).toEqual([
        { org: harness.taskQueue, run: change.run, step: 'hydrate' },
      ]);
    });
  });

  it('delivers the draft on a retry without running the agent again', async () => {
    const change = new ChangeFixture({ steps, turn: () => buildTurnOutcome('done') });
    let isLocked = true;
    const deliverDraft = async () => {
      if (isLocked) throw new ServiceError('conflict', 'The issue is locked.');
      return [post];
    };
    await withWorkflowHarness({ ...change.activities, deliverDraft }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.step('hydrate')).toMatchObject({ phase: 'Failed', failure: { message: 'The issue is locked.' } });
      isLocked = false;
      const decision = { run: change.run, step: 'hydrate', by: 'bob' };
      const retried = await startChange(harness, {
        ...buildChangeInput(harness.taskQueue),
        resume: { run: change.run, retry: { decision } },
      });
      await retried.executeUpdate(retryStepUpdate, { args: [decision] });
      await eventually(() => change.phase()).toBe('Succeeded');
      expect(change.step('hydrate')).toMatchObject({ posts: [post], verdict: { outcome: 'done' }, turns: 1 });
      expect(harness.callInputs('runAgentTurn')).toHaveLength(1);
    });
  });

  it('writes and delivers its draft again when a review repeats the steps before it', async () => {
    const [implement, review] = defaultAgentWorkflows.change.steps;
    const write: StepSpec = { name: 'write', type: 'agent', role: 'architect', mode: 'report', deliver: 'chat' };
    const change = new ChangeFixture({
      steps: [implement, write, review].filter((step) => step !== undefined),
      turn: (input) => {
        if (input.step === 'write') return buildTurnOutcome('done');
        return input.step === 'review-code' && input.turn === 1
          ? buildTurnOutcome('changes-requested', 'Escape the name.')
          : change.successfulTurn(input);
      },
    });
    const deliverDraft = async () => [post];
    await withWorkflowHarness({ ...change.activities, deliverDraft }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.step('write')).toMatchObject({ turns: 2, posts: [post] });
      expect(harness.callInputs('deliverDraft')).toHaveLength(2);
    });
  });

  it('delivers nothing while the step waits for guidance', async () => {
    const change = new ChangeFixture({ steps, turn: () => buildTurnOutcome('needs-guidance', 'Which page?') });
    await withWorkflowHarness(change.activities, async (harness) => {
      await startChange(harness);
      await eventually(() => change.phase('hydrate')).toBe('NeedsGuidance');
      expect(harness.calledActivities()).not.toContain('deliverDraft');
    });
  });

  it('opens no pull request for the head that a report looked at', async () => {
    const look: StepSpec = { name: 'look', type: 'agent', role: 'code-reviewer', mode: 'report' };
    const change = new ChangeFixture({
      steps: [look],
      turn: () => ({ ...buildTurnOutcome('done'), headSha: 'a'.repeat(40) }),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.calledActivities()).not.toContain('openPullRequest');
      expect(change.status).not.toHaveProperty('pullRequest');
    });
  });
});
