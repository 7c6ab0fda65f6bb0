import { MockActivityEnvironment } from '@temporalio/testing';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { waitUntilDeleted } from '../../activities/wait-until-deleted.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Waits for resources of which these remain at each look, `seconds` after the one before. */
async function wait(
  looks: (string[] | undefined)[],
  { seconds = 0, timeoutMs }: { seconds?: number; timeoutMs?: number },
) {
  const reports: string[][] = [];
  let count = 0;
  const listRemaining = async () => {
    if (count > 0) vi.setSystemTime(Date.now() + seconds * 1000);
    count += 1;
    return looks[Math.min(count, looks.length) - 1];
  };
  const report = async (remaining: string[]) => void reports.push(remaining);
  await new MockActivityEnvironment().run(async () => await waitUntilDeleted(listRemaining, report, timeoutMs));
  return { reports, count };
}

it('returns at once when nothing remains, and reports nothing that takes seconds only', async () => {
  expect(await wait([undefined], {})).toEqual({ reports: [], count: 1 });
  expect(await wait([['a'], ['a'], undefined], { seconds: 2.5 })).toEqual({ reports: [], count: 3 });
});

it('reports each change of what remains, once it takes longer', async () => {
  const { reports } = await wait([['a', 'b'], ['a', 'b'], ['a', 'b'], ['b'], undefined], { seconds: 6 });
  expect(reports).toEqual([['a', 'b'], ['b']]);
});

it('looks less often the longer it takes, because a look may list all runs of an org', async () => {
  const looks: number[] = [];
  const listRemaining = async () => {
    looks.push(performance.now());
    if (looks.length === 2) vi.setSystemTime(Date.now() + 60_000);
    return looks.length < 4 ? ['a'] : undefined;
  };
  await new MockActivityEnvironment().run(async () => await waitUntilDeleted(listRemaining, async () => {}));
  const [first = 0, second = 0, third = 0, fourth = 0] = looks;
  expect(second - first).toBeLessThan(500);
  expect(Math.min(third - second, fourth - third)).toBeGreaterThan(900);
});

it('waits also for something that has no name', async () => {
  expect(await wait([[], undefined], {})).toEqual({ reports: [], count: 2 });
});

it('gives up after its timeout', async () => {
  expect((await wait([['a']], { seconds: 4, timeoutMs: 8_000 })).count).toBe(4);
});

it('stops when the activity is cancelled', async () => {
  const environment = new MockActivityEnvironment();
  const listRemaining = async () => (environment.cancel('CANCELLED'), ['a']);
  const work = async () => await waitUntilDeleted(listRemaining, async () => {}).catch((error: unknown) => error);
  expect(await environment.run(work)).toMatchObject({ name: 'AbortError' });
});
