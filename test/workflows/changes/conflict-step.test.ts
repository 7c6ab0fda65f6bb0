import { expect, it } from 'vitest';
import { changeAgentWorkflow } from '../../../src/rules/agents/catalog.ts';
import type { StepSpec } from '../../../src/rules/agents/kinds.ts';
import { approveStep, cancelRun, guideStep } from '../../../workflows/changes/messages.ts';
import { untilCancelled } from '../../support/until-cancelled.ts';
import { AChange, decisionOn, ended, startChange } from '../../support/a-change.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

/** A Change whose pull request conflicts with its base once it is approved. */
function conflicting(options: ConstructorParameters<typeof AChange>[0] = {}): AChange {
  const change = new AChange(options);
  change.pull = { ...change.pull, mergeable: 'conflicted' };
  return change;
}
const settled = (change: AChange): void => void (change.pull = { ...change.pull, mergeable: 'yes' });

describeWithTemporal('runConflictStep', () => {
  it('keeps the approval where git merges the base by itself', async () => {
    const change = conflicting();
    const mergeBase = async () => {
      settled(change);
      return { outcome: 'merged', headSha: change.push('with-base') } as const;
    };
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.phase('resolve-conflicts')).toBe('Succeeded');
      expect(change.step('approve-change').decision?.headSha).toBe('head-1');
      expect(world.calls('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['with-base']);
    });
  });

  it('asks for approval again where an agent settled the conflict', async () => {
    const change = conflicting({
      turn: (input) => {
        if (input.step !== 'resolve-conflicts') return change.goodTurn(input);
        settled(change);
        return { ...ended('done'), headSha: change.push('settled-by-agent') };
      },
    });
    const mergeBase = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await eventually(() => change.phase('resolve-conflicts')).toBe('Succeeded');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(change.step('resolve-conflicts')).toMatchObject({ turns: 1, usage: { inputTokens: 100 } });
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      await handle.executeUpdate(approveStep, { args: decisionOn(change, { headSha: 'settled-by-agent' }) });
      await handle.result();
      expect(world.calls('mergePullRequest').map(({ headSha }) => headSha)).toEqual(['settled-by-agent']);
    });
  });

  it('waits for a person where the agent cannot settle it, and goes on with their guidance', async () => {
    const change = conflicting({
      turn: (input) => {
        if (input.step !== 'resolve-conflicts') return change.goodTurn(input);
        if (input.turn === 1) return ended('needs-guidance', 'Both sides rename the greeting.');
        settled(change);
        return { ...ended('done'), headSha: change.push('settled-by-agent') };
      },
    });
    const mergeBase = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await eventually(() => change.phase()).toBe('NeedsGuidance');
      expect(change.step('resolve-conflicts').waitingFor?.what).toBe('Both sides rename the greeting.');
      await handle.executeUpdate(guideStep, { args: [{ run: change.run, step: 'resolve-conflicts', by: 'bob' }] });
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      const turns = world.calls('agentTurn').filter(({ step }) => step === 'resolve-conflicts');
      expect(turns.map(({ turn, opening }) => [turn, opening])).toEqual([
        [1, 'conflicts'],
        [2, 'guidance'],
      ]);
    });
  });

  it('waits while the code host does not know yet whether it conflicts', async () => {
    const change = new AChange();
    let looks = 0;
    const readPullRequest = async () => {
      if (change.phase('approve-change') !== 'Succeeded') return change.pull;
      looks += 1;
      return { ...change.pull, mergeable: looks < 3 ? 'unknown' : 'yes' } as const;
    };
    await onTemporal({ ...change.activities, readPullRequest }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(looks).toBe(3);
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('is cancelled with its run, in the middle of a turn', async () => {
    const change = conflicting({
      turn: async (input) => {
        if (input.step !== 'resolve-conflicts') return change.goodTurn(input);
        return await untilCancelled();
      },
    });
    const mergeBase = async () => ({ outcome: 'conflicts' as const, headSha: 'head-1', files: ['server.js'] });
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await eventually(() => world.calls('agentTurn').some(({ step }) => step === 'resolve-conflicts')).toBe(true);
      await handle.executeUpdate(cancelRun, { args: [{ run: change.run, by: 'bob' }] });
      await handle.result();
      expect(change.phase()).toBe('Cancelled');
      expect(change.phase('resolve-conflicts')).toBe('Cancelled');
      expect(change.pull.state).toBe('closed');
    });
  });

  it('asks for approval again where git merged the base together with commits that nobody was shown', async () => {
    const change = conflicting();
    const mergeBase = async () => {
      settled(change);
      return { outcome: 'merged', headSha: change.push('with-others'), beyond: true } as const;
    };
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await eventually(() => change.phase('resolve-conflicts')).toBe('Succeeded');
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      expect(world.calls('mergeBase')).toMatchObject([{ shown: 'head-1' }]);
      expect(change.step('approve-change')).not.toHaveProperty('decision');
      expect(change.status.pullRequest?.headSha).toBe('with-others');
    });
  });

  it('leaves it to the merge where the code host never says whether it conflicts', async () => {
    const change = new AChange();
    change.pull = { ...change.pull, mergeable: 'unknown' };
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it('takes no conflict of a pull request for one that is merged already', async () => {
    const change = conflicting();
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      change.pull = { ...change.pull, state: 'closed' };
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase('resolve-conflicts')).toBe('Skipped');
      expect(change.phase()).toBe('Succeeded');
    });
  });

  it.each([
    ['yes', 'Skipped', 0],
    ['conflicted', 'Succeeded', 1],
  ] as const)('takes a report only on a conflict: mergeable %s, %s', async (mergeable, phase, turns) => {
    const look: StepSpec = {
      name: 'look',
      type: 'agent',
      role: 'code-reviewer',
      mode: 'report',
      when: { pullRequest: { conflicted: true } },
    };
    const change = new AChange({ steps: changeAgentWorkflow.steps.toSpliced(-2, 0, look) });
    change.pull = { ...change.pull, mergeable };
    const mergeBase = async () => ({ outcome: 'merged', headSha: change.push('with-base'), beyond: false }) as const;
    await onTemporal({ ...change.activities, mergeBase }, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.phase()).toBe('Succeeded');
      expect(change.phase('look')).toBe(phase);
      expect(world.calls('agentTurn').filter(({ step }) => step === 'look')).toHaveLength(turns);
    });
  });
});
