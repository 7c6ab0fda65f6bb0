import { expect, it } from 'vitest';
import { toFailure } from '../../../activities/to-failure.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import { agentsTaskQueue } from '../../../workflows/task-queues.ts';
import { ChangeFixture, buildTurnOutcome, startChange } from '../../support/workflows/change-fixture.ts';
import { eventually, withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
import { describeWithTemporal } from '../../support/workflows/temporal-client.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
const step = { name: 'look', type: 'agent', role: 'code-reviewer', mode: 'report' } as const;

describeWithTemporal('runAgentLoop', () => {
  it('prefers the host with the checkout, and uses another host when that one is gone', async () => {
    // The first turn names a host whose queue no worker polls.
    const turn = ({ turn: number }: { turn: number }): TurnOutcome =>
      number === 1 ? { done: false, usage, changed: false, host: 'gone' } : buildTurnOutcome('done');
    const change = new ChangeFixture({ steps: [step], turn });
    await withWorkflowHarness(change.activities, async (harness) => {
      const handle = await startChange(harness);
      await handle.result();
      expect(harness.callInputs('runAgentTurn').map((input) => input.turn)).toEqual([1, 2]);
      const { events } = await handle.fetchHistory();
      const queues = events?.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'runAgentTurn' ? [scheduled.taskQueue?.name] : [],
      );
      const anywhere = agentsTaskQueue(harness.taskQueue);
      expect(queues).toEqual([anywhere, agentsTaskQueue(harness.taskQueue, 'gone'), anywhere]);
    });
  });

  it('shows why it retries an unavailable model, and goes on when the model is back', async () => {
    let attempts = 0;
    const change: ChangeFixture = new ChangeFixture({
      steps: [step],
      turn: () => {
        attempts += 1;
        if (attempts < 3) throw toFailure(new ServiceError('model-provider-unavailable', 'The model is away.'));
        return buildTurnOutcome('done');
      },
    });
    await withWorkflowHarness(change.activities, async (harness) => {
      await (await startChange(harness)).result();
      const patched = harness.callInputs('recordRun').flatMap(({ patch }) => patch.steps ?? []);
      expect(patched.flatMap((step) => ('retrying' in step ? [step.retrying] : []))).toEqual([
        { message: 'The model is away.', attempt: 1, nextAt: expect.any(String) },
        { message: 'The model is away.', attempt: 2, nextAt: expect.any(String) },
        null,
      ]);
    });
  });

  it('asks for guidance when no attempt finds a sandbox', async () => {
    const turn = (): never => {
      throw toFailure(new ServiceError('sandbox-unavailable', 'There is no sandbox.'));
    };
    const change = new ChangeFixture({ steps: [step], turn });
    await withWorkflowHarness(change.activities, async (harness) => {
      await startChange(harness);
      const waitingFor = (): string | undefined => change.phase() && change.step('look').waitingFor?.message;
      await eventually(waitingFor).toContain('There is no sandbox. The service tried 3 times.');
      expect(harness.callInputs('runAgentTurn')).toHaveLength(3);
    });
  });
});
