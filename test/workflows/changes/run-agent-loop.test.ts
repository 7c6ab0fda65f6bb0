import { expect, it } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import { agentsTaskQueue } from '../../../workflows/task-queues.ts';
import { ChangeFixture, buildTurnOutcome, startChange } from '../../support/workflows/change-fixture.ts';
import { withWorkflowHarness } from '../../support/workflows/with-workflow-harness.ts';
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
});
