import { expect, inject, it } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents.ts';
import { workerNames } from '../../../src/main/worker-names.ts';
import { approveStep, guideStep } from '../../../workflows/changes/messages.ts';
import { AChange, type ChangeOptions, changeInput, decisionOn, ended, startChange } from '../../support/a-change.ts';
import { hastyServer } from '../../support/hasty-server.ts';
import { eventually, onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';
import { startWorkflowWorld } from '../../support/workflow-world.ts';

/** As much as a turn may leave in a run's history, with its share of all else that is there. */
const bytesPerTurn = 2_000;
const implementer = { responsibilities: ['Do what the issue asks for.'], limits: { turns: 100 } };
const reviewer = { responsibilities: ['Judge the change.'] };
const roles = { implementer, 'code-reviewer': reviewer, 'test-reviewer': reviewer, 'conflict-resolver': reviewer };
const usage = { inputTokens: 10_000, outputTokens: 1_000 };

/** An implementer that commits in each of its turns. */
const turns =
  (count: number): Required<Pick<ChangeOptions, 'turn'>>['turn'] =>
  ({ step, turn }, change) => {
    if (step.startsWith('review')) return ended('approved');
    const headSha = change.push(String(turn).padStart(40, '0'));
    return turn < count ? { done: false, usage, headSha, changed: true } : { ...ended('done'), usage, headSha };
  };

/** The longest name that begins so. */
const long = (name: string): string => `${name}-`.padEnd(40, name);

describeWithTemporal('the history of a run', () => {
  it('has little of each of a hundred turns, each with a commit', async () => {
    const change = new AChange({ roles, turn: turns(100) });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await eventually(() => change.phase()).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStep, { args: decisionOn(change) });
      await handle.result();
      expect(change.step('implement').turns).toBe(100);
      const { historySize = Infinity, historyLength } = await handle.describe();
      process.stdout.write(`100 turns: ${historyLength} events, ${Math.round(historySize / 100)} bytes a turn\n`);
      expect(historySize / 100).toBeLessThan(bytesPerTurn);
    });
  });

  it('has little of a turn whatever its names are, with its costs and a worker of a long name', async () => {
    const costs = { ...usage, cachedInputTokens: 1_000_000, costMicroUsd: 10_000_000, costUnknown: true as const };
    const step = long('implement');
    const count = 20;
    const change = new AChange({
      roles: { [long('implementer')]: implementer },
      steps: [{ name: step, type: 'agent', role: long('implementer'), mode: 'change' }],
      turn: (input) => ({ ...(turns(count)(input, change) as TurnOutcome), usage: costs }),
    });
    const world = await startWorkflowWorld({
      address: inject('temporalAddress') ?? '',
      activities: change.activities,
      identity: workerNames({ codePath: '' }, 'worker'.padEnd(63, '-0123456789')).identity,
    });
    try {
      const input = {
        ...changeInput(world.taskQueue.padEnd(40, 'x').slice(0, 40)),
        agentWorkflow: long('change'),
        product: long('hello'),
        target: { repo: 'acme/hello', number: 1_234_567 },
      };
      const handle = await startChange(world, input);
      await eventually(() => change.phase()).toBe('Succeeded');
      await handle.result();
      const { historySize = Infinity } = await handle.describe();
      process.stdout.write(`${count} turns with long names: ${Math.round(historySize / count)} bytes a turn\n`);
      expect(historySize / count).toBeLessThan(bytesPerTurn);
    } finally {
      await world.close();
    }
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
