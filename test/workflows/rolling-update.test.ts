import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { connectTemporal, describeWithTemporal } from '../support/temporal-client.ts';

type Code = { code: string };
let old: Code;
let young: Code;
const bundle = async (name: string): Promise<Code> =>
  await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`rolling-update/${name}.fixture.ts`, import.meta.url)),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });

/** A task queue whose workers come and go, each with the code of a version. */
async function aQueue() {
  const { client, taskQueue, close } = await connectTemporal();
  onTestFinished(close);
  const steps: string[] = [];
  const start = async (workflowBundle: Code): Promise<() => Promise<void>> => {
    // Two workers of one queue are two processes: they share no connection.
    const { connection, close: leave } = await connectTemporal();
    const activities = { step: async (name: string) => void steps.push(name) };
    // So that it takes nothing with it that another is to take up.
    const common = { connection, taskQueue, activities, maxCachedWorkflows: 0, shutdownGraceTime: 0 };
    const worker = await Worker.create({ ...common, workflowBundle });
    const running = worker.run();
    return async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await leave();
    };
  };
  const begin = async () => await client.workflow.start('walk', { taskQueue, workflowId: taskQueue });
  return { steps, start, begin };
}

describeWithTemporal('an update while workflows run', () => {
  beforeAll(async () => {
    [old, young] = await Promise.all([bundle('old'), bundle('new')]);
  });

  it('takes up what the old version began, as that had begun it', async () => {
    const { steps, start, begin } = await aQueue();
    const stopOld = await start(old);
    const handle = await begin();
    await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['first']);
    const stopNew = await start(young);
    await stopOld();
    await handle.signal('go');
    await handle.signal('go');
    await handle.result();
    expect(steps).toEqual(['first', 'second', 'third']);
    await stopNew();
  });

  it('leaves what the new version began to the new version, and loses nothing of it to the old one', async () => {
    const { steps, start, begin } = await aQueue();
    const stopNew = await start(young);
    const handle = await begin();
    await expect.poll(() => steps, { timeout: 20_000 }).toEqual(['look', 'first']);
    await stopNew();
    const stopOld = await start(old);
    await handle.signal('go');
    const taskFailed = async (): Promise<boolean> =>
      (await handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes) ?? false;
    await expect.poll(taskFailed, { timeout: 20_000 }).toBe(true);
    expect(steps).toEqual(['look', 'first']);
    const stopNext = await start(young);
    await stopOld();
    await handle.signal('go');
    await handle.result();
    expect(steps).toEqual(['look', 'first', 'second', 'third']);
    await stopNext();
  });
});
