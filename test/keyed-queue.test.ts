import { expect, it } from 'vitest';
import { keyedQueue } from '../src/keyed-queue.ts';

const delay = async (ms: number): Promise<void> => await new Promise((resolve) => setTimeout(resolve, ms));

it('runs the work of one key in order, one at a time', async () => {
  const enqueue = keyedQueue();
  const events: string[] = [];
  const work = (name: string, ms: number) => async () => {
    events.push(`start ${name}`);
    await delay(ms);
    events.push(`end ${name}`);
    return name;
  };
  const results = await Promise.all([
    enqueue('a', work('1', 20)),
    enqueue('a', work('2', 0)),
    enqueue('a', work('3', 0)),
  ]);
  expect(results).toEqual(['1', '2', '3']);
  expect(events).toEqual(['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3']);
});

it('runs the work of different keys at the same time', async () => {
  const enqueue = keyedQueue();
  const order: string[] = [];
  await Promise.all([
    enqueue('a', async () => {
      await delay(20);
      order.push('a');
    }),
    enqueue('b', async () => {
      order.push('b');
    }),
  ]);
  expect(order).toEqual(['b', 'a']);
});

it('rejects for the caller whose work failed, and runs the next work', async () => {
  const enqueue = keyedQueue();
  const failed = enqueue('a', async () => await Promise.reject(new Error('No.')));
  const next = enqueue('a', async () => 'done');
  await expect(failed).rejects.toThrow('No.');
  await expect(next).resolves.toBe('done');
});
