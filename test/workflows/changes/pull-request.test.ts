import { expect, it } from 'vitest';
import { approveStepUpdate } from '../../../workflows/changes/messages.ts';
import { ChangeFixture, buildChangeInput, buildDecision, startChange } from '../../support/workflows/change-fixture.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { waitUntilActivityHandled } from '../../support/workflows/wait-until-processed.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';

describeWithTemporal('ensurePullRequest', () => {
  it('waits for the title of the issue before the pull request, but not before the first turn', async () => {
    const change = new ChangeFixture();
    let titleAtOpening: string | undefined;
    const turnHandled = Promise.withResolvers<void>();
    const readTarget = async () => {
      await turnHandled.promise;
      return { title: 'Greet by name', url: 'http://host/issues/7', author: 'ada' };
    };
    const openPullRequest = async () => {
      titleAtOpening = change.status.issue?.title;
      return change.pullRequest;
    };
    await withWorkflowHarness({ ...change.activities, readTarget, openPullRequest }, async (harness) => {
      const handle = await startChange(harness);
      // A pull request that did not wait would be opened in the task that handles the turn.
      await waitUntilActivityHandled(handle);
      expect(harness.calledActivities()).not.toContain('openPullRequest');
      turnHandled.resolve();
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(titleAtOpening).toBe('Greet by name');
    });
  });

  it('follows a run on a pull request to the pull request of its own branch', async () => {
    const change = new ChangeFixture();
    const target = { number: 5, url: 'http://host/pulls/5', headSha: 'a'.repeat(40) };
    const issue = { title: 'Main', url: target.url, author: 'ada' };
    const readTarget = async () => ({ ...issue, pullRequest: target, baseBranch: 'trunk' });
    await withWorkflowHarness({ ...change.activities, readTarget }, async (harness) => {
      const pullRequest = { repo: 'acme/hello', number: 5, kind: 'pull-request' } as const;
      await startChange(harness, { ...buildChangeInput(harness.taskQueue), target: pullRequest });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.status.pullRequest).toMatchObject({ number: change.pullRequest.number });
      const bases = harness.callInputs('recordRun').flatMap(({ patch }) => patch.baseBranch ?? []);
      expect(bases).toEqual(['trunk', change.pullRequest.baseBranch]);
    });
  });

  it('polls while the code host computes whether the pull request conflicts', async () => {
    const change = new ChangeFixture();
    let polls = 0;
    const readPullRequest = async () => {
      if (change.phase('approve-change') !== 'Succeeded') return change.pullRequest;
      polls += 1;
      return { ...change.pullRequest, mergeable: polls < 3 ? 'unknown' : 'yes' } as const;
    };
    await withWorkflowHarness({ ...change.activities, readPullRequest }, async (harness) => {
      const handle = await startChange(harness);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(polls).toBe(3);
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });
});
