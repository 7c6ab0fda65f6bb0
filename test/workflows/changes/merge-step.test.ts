import { expect, it } from 'vitest';
import type { MergeOutcome } from '../../../src/integrations/codehost/codehost.ts';
import { changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { approveStep, cancelRun } from '../../../workflows/changes/messages.ts';
import { promoteReleaseId } from '../../../workflows/releases/messages.ts';
import { AChange, changeInput, decisionOn, startChange } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const merged: MergeOutcome = { outcome: 'merged', commit: 'c0ffee' };

/** Answers one after the other, and merges from then on. */
function inTurn(...outcomes: (() => MergeOutcome)[]): () => Promise<MergeOutcome> {
  return async () => outcomes.shift()?.() ?? merged;
}

describeWithTemporal('runMergeStep', () => {
  it('asks for approval again when the head has moved since', async () => {
    const change = new AChange();
    const mergePullRequest = inTurn(() => {
      change.push('pushed-by-eve');
      return { outcome: 'head-moved', message: 'Head branch was modified.' };
    });
    await onTemporal({ ...change.activities, mergePullRequest }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change, { headSha: 'head-1' }) });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      expect(change.status.pullRequest?.headSha).toBe('pushed-by-eve');
      await handle.executeUpdate(approveStep, { args: decisionOn(change, { headSha: 'pushed-by-eve' }) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(world.calls('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'pushed-by-eve']);
    });
  });

  it('starts a Release that is cut though its Change is cancelled after the merge', async () => {
    const steps: StepSpec[] = [...changeAgentWorkflow.steps, { name: 'tell-people', type: 'human' }];
    const change = new AChange({ steps });
    const built = Promise.withResolvers<{ outcome: 'built'; digest: string }>();
    await onTemporal({ ...change.activities, buildImage: async () => await built.promise }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase('approve-change')).toBe('Waiting');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await eventually(() => change.phase('tell-people')).toBe('Waiting');
      await handle.executeUpdate(cancelRun, { args: [{ run: change.run, by: 'bob' }] });
      expect(change.phase()).toBe('Cancelled');
      built.resolve({ outcome: 'built', digest: 'sha256:1' });
      const release = promoteReleaseId({ org: world.taskQueue, product: 'hello', commit: 'c0ffee' });
      await world.client.workflow.getHandle(release).result();
      expect(world.called()).toContain('tagRelease');
    });
  });

  it('tries again when only the base has moved', async () => {
    const change = new AChange();
    const moved = (): MergeOutcome => ({ outcome: 'base-moved', message: 'Base branch was modified.' });
    await onTemporal({ ...change.activities, mergePullRequest: inTurn(moved, moved) }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(world.calls('mergePullRequest')).toHaveLength(3);
    });
  });

  it('fails with what the code host said when the pull request was closed by somebody', async () => {
    const change = new AChange();
    const closed = inTurn(() => ({ outcome: 'closed', message: 'Pull request #8 is closed.' }));
    await onTemporal({ ...change.activities, mergePullRequest: closed }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { reason: 'Pull request #8 is closed.' } });
      expect(change.phase('merge')).toBe('Failed');
    });
  });

  it('goes back to the resolver at most three times, counting each round before it goes', async () => {
    const change = new AChange();
    const roundsSeen: (number | undefined)[] = [];
    const mergePullRequest = async (): Promise<MergeOutcome> => {
      roundsSeen.push(change.status.conflictRounds);
      change.pull = { ...change.pull, mergeable: 'conflicted' };
      return { outcome: 'conflicted', message: 'Pull request #8 conflicts with its base.' };
    };
    let merges = 0;
    const mergeBase = async () => ({ outcome: 'merged', headSha: change.push(`with-base-${(merges += 1)}`) }) as const;
    await onTemporal({ ...change.activities, mergePullRequest, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(roundsSeen).toEqual([undefined, 1, 2, 3]);
      expect(change.status).toMatchObject({
        phase: 'Failed',
        conflictRounds: 3,
        failure: { reason: 'Pull request #8 conflicts with its base.' },
      });
      expect(world.calls('mergeBase')).toHaveLength(3);
    });
  });

  it('takes a head that has only merges of the base beyond what was approved, and keeps the approval', async () => {
    const change = new AChange();
    const mergePullRequest = inTurn(() => ({ outcome: 'head-moved', message: 'It moved.', headSha: 'updated' }));
    const judgeHeadMove = async () => ({ headSha: change.push('updated'), beyond: false });
    await onTemporal({ ...change.activities, mergePullRequest, judgeHeadMove }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(world.calls('judgeHeadMove')).toMatchObject([{ shown: 'head-1' }]);
      expect(world.calls('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'updated']);
      expect(change.step('approve-change').decision?.headSha).toBe('head-1');
    });
  });

  it('gives up after many tries with what the code host said at last', async () => {
    const change = new AChange();
    const mergePullRequest = async (): Promise<MergeOutcome> => ({ outcome: 'base-moved', message: 'Not yet.' });
    await onTemporal({ ...change.activities, mergePullRequest }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(world.calls('mergePullRequest')).toHaveLength(60);
      expect(change.status).toMatchObject({
        phase: 'Failed',
        failure: { reason: expect.stringContaining('Not yet.') },
      });
    });
  });

  it('fails at commits that nobody approves, and takes them when a person retries', async () => {
    const steps = changeAgentWorkflow.steps.filter(({ type }) => type !== 'human');
    const change = new AChange({ steps });
    const mergePullRequest = inTurn(() => {
      change.push('pushed-by-eve');
      return { outcome: 'head-moved', message: 'It has other commits.' };
    });
    await onTemporal({ ...change.activities, mergePullRequest }, async (world) => {
      await (await startChange(world)).result();
      expect(change.status).toMatchObject({ phase: 'Failed', failure: { reason: 'It has other commits.' } });
      const input = changeInput(world.taskQueue);
      await (await startChange(world, { ...input, resume: { run: change.run, retry: 'merge' } })).result();
      expect(change.phase()).toBe('Succeeded');
      expect(world.calls('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['head-1', 'pushed-by-eve']);
    });
  });

  it('ends as done, without a Release, where nothing is left to merge', async () => {
    const change = new AChange();
    const mergePullRequest = inTurn(() => ({ outcome: 'empty', message: '"main" has all of it already.' }));
    await onTemporal({ ...change.activities, mergePullRequest }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.step('merge')).toMatchObject({
        phase: 'Skipped',
        verdict: { summary: '"main" has all of it already.' },
      });
      expect(change.pull.state).toBe('closed');
      expect(world.called()).not.toContain('openRelease');
    });
  });

  it('has the agents between the resolver and the merge look again after each round', async () => {
    const check: StepSpec = { name: 'check', type: 'agent', role: 'test-reviewer', mode: 'report' };
    const steps = changeAgentWorkflow.steps.toSpliced(-1, 0, check);
    const change = new AChange({ steps });
    const mergePullRequest = inTurn(() => {
      change.pull = { ...change.pull, mergeable: 'conflicted' };
      return { outcome: 'conflicted', message: 'It conflicts.' };
    });
    const mergeBase = async () => ({ outcome: 'merged', headSha: change.push('with-base'), beyond: false }) as const;
    await onTemporal({ ...change.activities, mergePullRequest, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.status).toMatchObject({ phase: 'Succeeded', conflictRounds: 1 });
      const { calls } = world;
      expect(
        calls('agentTurn')
          .filter(({ step }) => step === 'check')
          .map(({ turn }) => turn),
      ).toEqual([1, 2]);
    });
  });
});
