import { expect, it } from 'vitest';
import type { MergeOutcome } from '../../../src/integrations/codehost/codehost.ts';
import { approveStep } from '../../../workflows/changes/messages.ts';
import { AChange, decisionOn, startChange } from '../../support/a-change.ts';
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
});
