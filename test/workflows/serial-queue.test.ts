import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { serialQueue } from '../../workflows/serial-queue.ts';

it('runs work in the order of the calls, one at a time, and continues after a failure', async () => {
  const enqueue = serialQueue();
  const log: string[] = [];
  const work = (name: string, ms: number) => async () => {
    log.push(`${name} begins`);
    await sleep(ms);
    log.push(`${name} ends`);
    if (name === 'second') throw new Error(name);
    return name;
  };
  const results = await Promise.allSettled([
    enqueue(work('first', 5)),
    enqueue(work('second', 1)),
    enqueue(work('third', 0)),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['first begins', 'first ends', 'second begins', 'second ends', 'third begins', 'third ends']);
});
