import { expect, it } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents.ts';
import { agentsTaskQueue } from '../../../workflows/task-queues.ts';
import { AChange, ended, startChange } from '../../support/a-change.ts';
import { onTemporal } from '../../support/on-temporal.ts';
import { describeWithTemporal } from '../../support/temporal-client.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
const step = { name: 'look', type: 'agent', role: 'code-reviewer', mode: 'report' } as const;

describeWithTemporal('the turns of an agent', () => {
  it('go to the host that has the checkout, and to another once nobody takes them there', async () => {
    // Its first turn names a host that has gone since; nobody else ever serves that queue.
    const turn = ({ turn: number }: { turn: number }): TurnOutcome =>
      number === 1 ? { done: false, usage, changed: false, host: 'gone' } : ended('done');
    const change = new AChange({ steps: [step], turn });
    await onTemporal(change.activities, async (world) => {
      const handle = await startChange(world);
      await handle.result();
      expect(world.calls('agentTurn').map((input) => input.turn)).toEqual([1, 2]);
      const { events } = await handle.fetchHistory();
      const queues = events?.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) =>
        scheduled?.activityType?.name === 'agentTurn' ? [scheduled.taskQueue?.name] : [],
      );
      const anywhere = agentsTaskQueue(world.taskQueue);
      expect(queues).toEqual([anywhere, agentsTaskQueue(world.taskQueue, 'gone'), anywhere]);
    });
  });
});
