import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { buildTurnOutcome, ChangeFixture, startChange } from '../../support/workflows/change-fixture.ts';
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

  it('leaves no step of the first group in progress when the issue does not exist', async () => {
    const plan = { type: 'agent', role: 'code-reviewer', mode: 'report', parallel: 'plan' } as const;
    const steps = ['plan-code', 'plan-tests', 'plan-texts'].map((name): StepSpec => ({ name, ...plan }));
    const change = new ChangeFixture({
      steps,
      turn: async (input) =>
        input.step === 'plan-texts' ? buildTurnOutcome('needs-guidance', 'Which?') : await waitForCancellation(),
    });
    const readTarget = async (): Promise<never> => {
      await eventually(() => change.status.steps.map(({ phase }) => phase)).toEqual([
        'Running',
        'Running',
        'NeedsGuidance',
      ]);
      throw new ServiceError('not-found', 'No issue #7 in acme/hello.');
    };
    await withWorkflowHarness({ ...change.activities, readTarget }, async (harness) => {
      await (await startChange(harness)).result();
      expect(change.phase()).toBe('Failed');
      expect(change.status.steps.map(({ phase }) => phase)).toEqual(['Failed', 'Cancelled', 'Cancelled']);
      for (const step of change.status.steps) {
        expect(step).toHaveProperty('finishedAt');
        expect(step).not.toHaveProperty('waitingFor');
      }
    });
  });

  it('tries again after an error whose text ends in half of a character', async () => {
    const change = new ChangeFixture();
    let attempts = 0;
    const readTarget = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error(`The code host answered ${'😀'.slice(0, 1)}`);
      return { title: 'Say hello', url: 'https://example.com/7', author: 'ada' };
    };
    await withWorkflowHarness({ ...change.activities, readTarget }, async (harness) => {
      await startChange(harness);
      await eventually(() => change.status.issue?.title).toBe('Say hello');
      expect(attempts).toBe(2);
    });
  });
});
