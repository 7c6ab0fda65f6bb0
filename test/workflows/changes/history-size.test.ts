import { expect, it } from 'vitest';
import { approveStep, guideStep } from '../../../workflows/changes/messages.ts';
import { AChange, type ChangeOptions, decisionOn, ended, startChange } from '../../support/a-change.ts';
import { hastyServer } from '../../support/hasty-server.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const mebibyte = 1024 * 1024;
const implementer = { responsibilities: ['Do what the issue asks for.'], limits: { turns: 100 } };
const reviewer = { responsibilities: ['Judge the change.'] };
const roles = { implementer, 'code-reviewer': reviewer, 'test-reviewer': reviewer, 'conflict-resolver': reviewer };

/** An implementer that commits in each of its turns and says much at the end. */
const turns =
  (count: number): Required<Pick<ChangeOptions, 'turn'>>['turn'] =>
  ({ step, turn }, change) => {
    if (step !== 'implement') return ended('approved', 'x'.repeat(4_000));
    const headSha = change.push(String(turn).padStart(40, '0'));
    const usage = { inputTokens: 10_000, outputTokens: 1_000 };
    return turn < count
      ? { done: false, usage, headSha, changed: true }
      : { ...ended('done', 'x'.repeat(4_000)), usage, headSha };
  };

describeWithTemporal('the history of a run', () => {
  it('stays under a megabyte over a hundred turns, each with a commit', async () => {
    const change = new AChange({ roles, turn: turns(100) });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.step('implement').turns).toBe(100);
      const { historySize = Infinity, historyLength } = await handle.describe();
      process.stdout.write(`100 turns: ${historyLength} events, ${Math.round(historySize / 1024)} KiB of history\n`);
      expect(historySize).toBeLessThan(mebibyte);
    });
  });

  it('goes on as new where the server asks for it, and knows all it knew', async () => {
    const change = new AChange({ roles, turn: turns(10) });
    const address = await hastyServer(40);
    await onTemporal(
      change.activities,
      async (world) => {
        const handle = await startChange(world);
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        expect(change.step('implement')).toMatchObject({
          turns: 10,
          usage: { inputTokens: 100_000, outputTokens: 10_000 },
        });
        const { runId } = await world.client.workflow.getHandle(handle.workflowId).describe();
        expect(runId).not.toBe(handle.firstExecutionRunId);

        const approve = world.client.workflow.getHandle(handle.workflowId);
        await approve.executeUpdate(approveStep, { args: decisionOn(change) });
        await handle.result();
        expect(change.status).toMatchObject({ phase: 'Succeeded', pullRequest: { number: 8 }, mergeCommit: 'c0ffee' });
        expect(world.calls('agentTurn')).toHaveLength(12);
        expect(new Set(world.calls('openRun').map(({ run }) => run))).toEqual(new Set([change.run]));
      },
      address,
    );
  });

  it('takes guidance along when it goes on as new before that is used', async () => {
    const change = new AChange({
      roles,
      turn: (input) =>
        input.step === 'review-code' && input.turn <= 4 ? ended('changes-requested', 'No.') : change.goodTurn(input),
    });
    const address = await hastyServer(10);
    await onTemporal(
      change.activities,
      async (world) => {
        const handle = await startChange(world);
        await eventually(() => change.phase()).toBe('NeedsGuidance');
        const latest = world.client.workflow.getHandle(handle.workflowId);
        await latest.executeUpdate(guideStep, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        const implementing = world.calls('agentTurn').filter(({ step }) => step === 'implement');
        expect(implementing.at(-1)?.opening).toBe('guidance');
      },
      address,
    );
  });
});
