import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import {
  approveStepUpdate,
  guideStepUpdate,
  retryStepUpdate,
  runProgressQuery,
} from '../../../workflows/changes/messages.ts';
import {
  ChangeFixture,
  buildChangeInput,
  buildDecision,
  buildTurnOutcome,
  startChange,
} from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('applyReviews', () => {
  it('repeats the implementation when a review requests changes, and continues once all approve', async () => {
    const change = new ChangeFixture({
      turn: (input) =>
        input.step === 'review-code' && input.turn === 1
          ? buildTurnOutcome('changes-requested', 'Names are not escaped.')
          : change.successfulTurn(input),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', turns: 2, reviewRounds: 1 });
      expect(change.step('review-tests')).toMatchObject({ phase: 'Succeeded', turns: 2 });
      const turns = harness.callInputs('runAgentTurn').filter(({ step }) => step === 'implement');
      expect(turns.map(({ trigger }) => trigger)).toEqual(['start', 'changes-requested']);

      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(harness.callInputs('mergePullRequest')).toEqual([expect.objectContaining({ headSha: 'head-2' })]);
    });
  });

  it('repeats the implementation for a review that requested changes before another of its group was retried', async () => {
    let isBroken = true;
    const change = new ChangeFixture({
      turn: (input) => {
        if (input.step === 'review-code' && isBroken) throw new ServiceError('invalid', 'Broken.');
        if (input.step === 'review-tests' && input.turn === 1) return buildTurnOutcome('changes-requested', 'No test.');
        return change.successfulTurn(input);
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.step('review-tests')).toMatchObject({ phase: 'Succeeded', turns: 1 });
      isBroken = false;
      const decision = { run: change.run, step: 'review-code', by: 'bob' };
      const input = { ...buildChangeInput(harness.taskQueue), resume: { run: change.run, retry: { decision } } };
      const retried = await startChange(harness, input);
      await retried.executeUpdate(retryStepUpdate, { args: [decision] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('implement')).toMatchObject({ turns: 2, reviewRounds: 1 });
      expect(change.step('review-tests')).toMatchObject({ turns: 2, verdict: { outcome: 'approved' } });
    });
  });

  it('repeats every step that a review of the group rejects, each with the changes to make', async () => {
    const change = new ChangeFixture({
      steps: [
        { name: 'implement', type: 'agent', role: 'implementer', mode: 'change' },
        { name: 'document', type: 'agent', role: 'implementer', mode: 'change' },
        ...(['document', 'implement'] as const).map((reviews): StepSpec => ({
          name: `review-${reviews}`,
          type: 'agent',
          role: 'code-reviewer',
          mode: 'report',
          reviews,
          parallel: 'review',
        })),
      ],
      turn: (input) =>
        input.step.startsWith('review') && input.turn === 1
          ? buildTurnOutcome('changes-requested', 'No.')
          : change.successfulTurn(input),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.phase()).toBe('Succeeded');
      const turns = harness.callInputs('runAgentTurn').filter(({ step }) => !step.startsWith('review'));
      expect(turns.map(({ step, trigger }) => [step, trigger])).toEqual([
        ['implement', 'start'],
        ['document', 'start'],
        ['implement', 'changes-requested'],
        ['document', 'changes-requested'],
      ]);
    });
  });

  it('skips the remaining steps when the agent changes nothing', async () => {
    const change = new ChangeFixture({ turn: () => buildTurnOutcome('done', 'It already greets.') });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.status.steps.map(({ phase }) => phase)).toEqual([
        'Succeeded',
        ...Array.from({ length: 5 }, () => 'Skipped'),
      ]);
      expect(harness.calledActivities()).not.toContain('openPullRequest');
    });
  });

  it('asks a person after three rounds of review, and continues with the guidance', async () => {
    const change = new ChangeFixture({
      turn: (input) =>
        input.step === 'review-code' && input.turn <= 4
          ? buildTurnOutcome('changes-requested', 'No.')
          : change.successfulTurn(input),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('implement')).toMatchObject({
        phase: 'NeedsGuidance',
        turns: 4,
        reviewRounds: 3,
        waitingFor: { role: 'member', message: 'review-code: No.' },
      });
      expect(await handle.query(runProgressQuery)).toMatchObject({ phase: 'NeedsGuidance', waitingFor: 'member' });

      await handle.executeUpdate(guideStepUpdate, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const turns = harness.callInputs('runAgentTurn').filter(({ step }) => step === 'implement');
      expect(turns.map(({ trigger }) => trigger)).toEqual([
        'start',
        ...Array.from({ length: 3 }, () => 'changes-requested'),
        'guidance',
      ]);
      expect(change.step('implement')).toMatchObject({ phase: 'Succeeded', reviewRounds: 0, turns: 5 });
    });
  });

  it('continues after a report, which changes nothing', async () => {
    const change = new ChangeFixture({
      steps: [
        { name: 'plan', type: 'agent', role: 'code-reviewer', mode: 'report' },
        { name: 'summarize', type: 'agent', role: 'code-reviewer', mode: 'report' },
      ],
      turn: () => buildTurnOutcome('done'),
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.status.steps.map(({ phase }) => phase)).toEqual(['Succeeded', 'Succeeded']);
    });
  });
});
