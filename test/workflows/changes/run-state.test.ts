import { expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { createRunStatus, patchRunStatus } from '../../../src/rules/changes/run-status.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/default-workflows.ts';
import { approveStepUpdate, rejectStepUpdate } from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('RunState', () => {
  it('stores every change before it acts on it, and shows it in the Temporal UI', async () => {
    const change = new ChangeFixture();
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const readPhase = async () => {
        const { typedSearchAttributes } = await handle.describe();
        return typedSearchAttributes.getAll().find(({ key }) => key.name === 'phase')?.value;
      };
      await eventually(readPhase).toBe('WaitingForPerson');
      const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toMatch(
        /^\*\*WaitingForPerson\*\* \[Greet by name\]\(http:\S+\) · \[pull request #8\]\(http:\S+\)\n\n\| step \|/,
      );
      expect(currentDetails).toMatch(/\n\| implement \| Succeeded \| 1 \| +\|\n/);
      expect(currentDetails).toMatch(/\n\| approve-change \| Waiting \| +\| waiting for a member \|/);
      const calls = harness.calledActivities();
      expect(calls.indexOf('recordRun')).toBeLessThan(calls.indexOf('runAgentTurn'));

      const unknown = handle.executeUpdate(approveStepUpdate, { args: buildDecision(change, { step: 'deploy' }) });
      await expect(unknown).rejects.toMatchObject({
        cause: { message: expect.stringMatching(/"deploy"/) },
      });
      await handle.executeUpdate(rejectStepUpdate, { args: buildDecision(change, { note: 'Not now.' }) });
      await handle.result();
      expect(await readPhase()).toBe('Failed');
      expect(change.step('approve-change').failure).toMatchObject({
        resource: `step approve-change of run ${change.run}`,
        at: expect.stringMatching(/^\d{4}-.*Z$/),
      });
      // The patches, in the order in which they were stored, are all that the status consists of.
      const initial = createRunStatus(changeAgentWorkflow.steps, '2026-01-01T00:00:00Z');
      const patches = harness.callInputs('recordRun').map(({ patch }) => patch);
      expect(patches.every(({ phase }) => phase !== undefined)).toBe(true);
      const { steps, phase } = patches.reduce(patchRunStatus, initial);
      expect({ steps, phase }).toEqual({ steps: change.status.steps, phase: 'Failed' });
    });
  });

  it('shows no further attempt of a step that failed', async () => {
    let attempts = 0;
    const change = new ChangeFixture({
      turn: () => {
        attempts += 1;
        throw new ServiceError(attempts === 1 ? 'model-provider-unavailable' : 'invalid', 'No answer.');
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      expect(attempts).toBe(2);
      expect(change.step('implement')).toMatchObject({ phase: 'Failed', failure: { message: 'No answer.' } });
      expect(change.step('implement')).not.toHaveProperty('retrying');
    });
  });
});
