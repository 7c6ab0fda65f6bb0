import { expect, it } from 'vitest';
import type { MergeOutcome } from '../../../src/integrations/codehost/codehost.ts';
import { toProgressStages } from '../../../src/rules/changes/progress-stages.ts';
import { approveStepUpdate, cancelRunUpdate } from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import type { WorkflowHarness } from '../../support/workflows/workflow-harness.ts';

const running: MergeOutcome = { outcome: 'blocked', message: 'The check "ci" is running.', needsPerson: false };
const failed: MergeOutcome = { outcome: 'blocked', message: 'The check "ci" has failed.', needsPerson: true };
const merged: MergeOutcome = { outcome: 'merged', commit: 'c0ffee' };

/** Starts a Change, approves it, and lets each merge have the outcome that the test sets. */
async function withApprovedChange(
  run: (context: {
    change: ChangeFixture;
    harness: WorkflowHarness;
    handle: Awaited<ReturnType<typeof startChange>>;
    setOutcome: (next: MergeOutcome) => void;
  }) => Promise<void>,
  { mergeWaitMs = 3_600_000, address }: { mergeWaitMs?: number; address?: string } = {},
) {
  const change = new ChangeFixture();
  let outcome = running;
  const updatePullRequestBranch = async () => void change.push('updated');
  const checkUnreviewedCommits = async () => ({ headSha: 'updated', hasUnreviewedCommits: false });
  const activities = { mergePullRequest: async () => outcome, updatePullRequestBranch, checkUnreviewedCommits };
  const test = async (harness: WorkflowHarness): Promise<void> => {
    const input = buildChangeInput(harness.taskQueue);
    const handle = await startChange(harness, { ...input, intervals: { pollIntervalMs: 5, mergeWaitMs } });
    await eventually(() => change.phase()).toBe('WaitingForPerson');
    await harness.client.workflow
      .getHandle(handle.workflowId)
      .executeUpdate(approveStepUpdate, { args: buildDecision(change) });
    await run({ change, harness, handle, setOutcome: (next) => void (outcome = next) });
  };
  await withWorkflowHarness({ ...change.activities, ...activities }, test, address);
}

describeWithTemporal('waitForRules', () => {
  it('shows what the merge waits for, when it will give up, and merges as soon as it may', async () => {
    await withApprovedChange(async ({ change, harness, handle, setOutcome }) => {
      await eventually(() => change.step('merge').waitingFor).toMatchObject({
        role: 'codehost',
        message: running.message,
      });
      const { since = '', until = '' } = change.step('merge').waitingFor ?? {};
      expect(Date.parse(until) - Date.parse(since)).toBe(3_600_000);
      expect(change.phase()).toBe('Running');
      // More attempts than a moving base is granted: the wait has its own limit.
      await eventually(() => harness.callInputs('mergePullRequest').length).toBeGreaterThan(60);
      setOutcome(failed);
      await eventually(() => change.step('merge').waitingFor).toMatchObject({
        role: 'member',
        message: failed.message,
        since,
      });
      const shown = harness.callInputs('recordRun').flatMap(({ patch }) => patch.steps ?? []);
      expect(shown.filter(({ name, waitingFor }) => name === 'merge' && waitingFor)).toHaveLength(2);
      const stages = toProgressStages({
        spec: { steps: [{ name: 'merge', type: 'merge' }] },
        status: change.status,
      } as never);
      expect(stages.find(({ stage }) => stage === 'merged')).toMatchObject({
        colour: 'amber',
        detail: `merge: ${failed.message}`,
      });
      setOutcome(merged);
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.step('merge')).not.toHaveProperty('waitingFor');
    });
  });

  it('updates a branch that must contain its base, and keeps the approval', async () => {
    await withApprovedChange(async ({ change, harness, handle, setOutcome }) => {
      setOutcome({ outcome: 'behind', message: 'It must contain main.' });
      await eventually(() => harness.callInputs('updatePullRequestBranch')[0]).toMatchObject({ headSha: 'head-1' });
      setOutcome({ outcome: 'head-moved', message: 'It moved.', headSha: 'updated' });
      await eventually(() => change.status.pullRequest?.headSha).toBe('updated');
      setOutcome(merged);
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(harness.callInputs('mergePullRequest').at(-1)).toMatchObject({ headSha: 'updated' });
      expect(change.step('approve-change').decision?.headSha).toBe('head-1');
    });
  });

  it('fails at its limit with what is missing, and a retry merges', async () => {
    await withApprovedChange(
      async ({ change, harness, handle, setOutcome }) => {
        await handle.result();
        expect(change.status.failure).toMatchObject({
          reason: 'merge-blocked',
          message: `The rules of the base branch still block the merge: ${running.message}`,
          fix: 'Meet the rules on the code host or change them, then retry the step.',
        });
        expect(change.step('merge')).not.toHaveProperty('waitingFor');
        setOutcome(merged);
        const decision = { run: change.run, step: 'merge', by: 'bob' };
        const input = { ...buildChangeInput(harness.taskQueue), resume: { run: change.run, retry: { decision } } };
        await (await startChange(harness, input)).result();
        expect(change.phase()).toBe('Succeeded');
      },
      { mergeWaitMs: 30 },
    );
  });

  it('waits on in the same step when the run continues as new', async () => {
    const address = await startShortHistoryServer(60);
    await withApprovedChange(
      async ({ change, harness, handle, setOutcome }) => {
        await eventually(() => change.step('merge').waitingFor?.message).toBe(running.message);
        const { startedAt, waitingFor } = change.step('merge');
        const openings = harness.callInputs('openRun').length;
        await eventually(() => harness.callInputs('openRun').length).toBeGreaterThan(openings + 1);
        setOutcome(merged);
        await handle.result();
        expect(change.step('merge')).toMatchObject({ phase: 'Succeeded', startedAt });
        const waits = harness.callInputs('recordRun').flatMap(({ patch }) => patch.steps ?? []);
        expect(waits.flatMap((step) => (step.name === 'merge' && step.waitingFor) || [])).toEqual([waitingFor]);
      },
      { address },
    );
  });

  it('ends when a person cancels the run', async () => {
    await withApprovedChange(async ({ change, handle }) => {
      await eventually(() => change.step('merge').waitingFor?.role).toBe('codehost');
      await handle.executeUpdate(cancelRunUpdate, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.phase()).toBe('Cancelled');
      expect(change.step('merge')).not.toHaveProperty('waitingFor');
    });
  });
});
