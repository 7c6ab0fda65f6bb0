import { expect, inject, it } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import { createWorkerIdentity } from '../../../src/main/worker/worker-identity.ts';
import { approveStepUpdate, guideStepUpdate } from '../../../workflows/changes/messages.ts';
import {
  ChangeFixture,
  type ChangeFixtureOptions,
  buildChangeInput,
  buildDecision,
  buildTurnOutcome,
  startChange,
} from '../../support/workflows/change-fixture.ts';
import { startShortHistoryServer } from '../../support/workflows/start-short-history-server.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';
import { startWorkflowHarness } from '../../support/workflows/workflow-harness.ts';

/** The budget of a run's history per turn, including a share of all other events. */
const bytesPerTurn = 2_000;
const implementer = { responsibilities: ['Do what the issue asks for.'], limits: { turns: 100 } };
const reviewer = { responsibilities: ['Judge the change.'] };
const roles = { implementer, 'code-reviewer': reviewer, 'test-reviewer': reviewer, 'conflict-resolver': reviewer };
const usage = { inputTokens: 10_000, outputTokens: 1_000 };

/** Builds an implementer that commits in each of its turns. */
const turns =
  (count: number): Required<Pick<ChangeFixtureOptions, 'turn'>>['turn'] =>
  ({ step, turn }, change) => {
    if (step.startsWith('review')) return buildTurnOutcome('approved');
    const headSha = change.push(String(turn).padStart(40, '0'));
    return turn < count
      ? { done: false, usage, headSha, changed: true }
      : { ...buildTurnOutcome('done'), usage, headSha };
  };

/** Pads a name to the longest allowed length. */
const padName = (name: string): string => `${name}-`.padEnd(40, name);

describeWithTemporal('the history of a run', () => {
  it('stays within the budget for a hundred turns with a commit each', async () => {
    const change = new ChangeFixture({ roles, turn: turns(100) });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      // A hundred turns take longer than a minute on a busy machine.
      await expect.poll(() => change.phase(), { timeout: 200_000, interval: 50 }).toBe('WaitingForPerson');
      await handle.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
      await handle.result();
      expect(change.step('implement').turns).toBe(100);
      const { historySize = Infinity, historyLength } = await handle.describe();
      process.stdout.write(`100 turns: ${historyLength} events, ${Math.round(historySize / 100)} bytes a turn\n`);
      expect(historySize / 100).toBeLessThan(bytesPerTurn);
    });
  });

  it('stays within the budget for the longest names, full usage and a long worker identity', async () => {
    const costs = { ...usage, cachedInputTokens: 1_000_000, costMicroUsd: 10_000_000, costUnknown: true as const };
    const step = padName('implement');
    const count = 20;
    const change = new ChangeFixture({
      roles: { [padName('implementer')]: implementer },
      steps: [{ name: step, type: 'agent', role: padName('implementer'), mode: 'change' }],
      turn: (input) => ({ ...(turns(count)(input, change) as TurnOutcome), usage: costs }),
    });
    const harness = await startWorkflowHarness({
      address: inject('temporalAddress') ?? '',
      activities: change.activities,
      identity: createWorkerIdentity({ codePath: '' }, 'worker'.padEnd(63, '-0123456789')).identity,
    });
    try {
      const input = {
        ...buildChangeInput(harness.taskQueue.padEnd(40, 'x').slice(0, 40)),
        agentWorkflow: padName('change'),
        product: padName('hello'),
        target: { repo: 'acme/hello', number: 1_234_567 },
      };
      const handle = await startChange(harness, input);
      await eventually(() => change.phase()).toBe('Succeeded');
      await handle.result();
      const { historySize = Infinity } = await handle.describe();
      process.stdout.write(`${count} turns with long names: ${Math.round(historySize / count)} bytes a turn\n`);
      expect(historySize / count).toBeLessThan(bytesPerTurn);
    } finally {
      await harness.close();
    }
  });

  it('keeps the state of the run when it continues as new', async () => {
    const change = new ChangeFixture({ roles, turn: turns(10) });
    const address = await startShortHistoryServer(40);
    await withWorkflowHarness(
      change.activities,
      async (harness) => {
        const handle = await startChange(harness);
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        expect(change.step('implement')).toMatchObject({
          turns: 10,
          usage: { inputTokens: 100_000, outputTokens: 10_000 },
        });
        const { runId } = await harness.client.workflow.getHandle(handle.workflowId).describe();
        expect(runId).not.toBe(handle.firstExecutionRunId);

        const latest = harness.client.workflow.getHandle(handle.workflowId);
        await latest.executeUpdate(approveStepUpdate, { args: buildDecision(change) });
        await handle.result();
        expect(change.status).toMatchObject({ phase: 'Succeeded', pullRequest: { number: 8 }, mergeCommit: 'c0ffee' });
        expect(harness.callInputs('runAgentTurn')).toHaveLength(12);
        expect(new Set(harness.callInputs('openRun').map(({ run }) => run))).toEqual(new Set([change.run]));
      },
      address,
    );
  });

  it('keeps unused guidance when it continues as new', async () => {
    const change = new ChangeFixture({
      roles,
      turn: (input) =>
        input.step === 'review-code' && input.turn <= 4
          ? buildTurnOutcome('changes-requested', 'No.')
          : change.successfulTurn(input),
    });
    const address = await startShortHistoryServer(10);
    await withWorkflowHarness(
      change.activities,
      async (harness) => {
        const handle = await startChange(harness);
        await eventually(() => change.phase()).toBe('NeedsGuidance');
        const latest = harness.client.workflow.getHandle(handle.workflowId);
        await latest.executeUpdate(guideStepUpdate, { args: [{ run: change.run, step: 'implement', by: 'bob' }] });
        await eventually(() => change.phase()).toBe('WaitingForPerson');
        const implementing = harness.callInputs('runAgentTurn').filter(({ step }) => step === 'implement');
        expect(implementing.at(-1)?.trigger).toBe('guidance');
      },
      address,
    );
  });
});
