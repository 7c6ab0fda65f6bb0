import { expect, it } from 'vitest';
import { agentsTaskQueue, backupsTaskQueue, browserTaskQueue, waitsTaskQueue } from '../../workflows/task-queues.ts';

it('gives each kind of worker, and each host with checkouts, a queue of its own', () => {
  const queues = [
    agentsTaskQueue('q'),
    agentsTaskQueue('q', 'one'),
    agentsTaskQueue('q', 'two'),
    browserTaskQueue('q'),
    backupsTaskQueue('q'),
    waitsTaskQueue('q'),
  ];
  expect(new Set([...queues, 'q']).size).toBe(7);
  expect(queues.every((queue) => queue.startsWith('q-'))).toBe(true);
});
