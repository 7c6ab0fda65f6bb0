import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { connectTemporal, describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { shortTaskTimeout } from '../support/workflows/wait-until-processed.ts';

type Code = { code: string };
let old: Code;
let current: Code;
const bundle = async (name: string): Promise<Code> =>
  await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL(`rolling-update/${name}.fixture.ts`, import.meta.url)),
    logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  });

/** Provides a task queue, on which a test starts and stops workers with the code of a version. */
async function createVersionedQueue() {
  const { client, taskQueue, close } = await connectTemporal();
  onTestFinished(close);
  const steps: string[] = [];
  const start = async (workflowBundle: Code): Promise<() => Promise<void>> => {
    // Each worker has its own connection, like a separate process.
    const { connection, close: disconnect } = await connectTemporal();
    const activities = { step: async (name: string) => void steps.push(name) };
    // Without a cache, a stopping worker leaves no workflow behind that another worker has to wait for.
    const common = { connection, taskQueue, activities, maxCachedWorkflows: 0, shutdownGraceTime: 0 };
    const worker = await Worker.create({ ...common, workflowBundle });
    const running = worker.run();
    return async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await running;
      await disconnect();
    };
  };
  // A task that fails again is not reported: the server repeats it only after its timeout.
  const options = { taskQueue, workflowId: taskQueue, workflowTaskTimeout: shortTaskTimeout };
  const startWalk = async () => await client.workflow.start('walk', options);
  return { steps, start, startWalk };
}

describeWithTemporal('an update while workflows run', () => {
  beforeAll(async () => {
    [old, current] = await Promise.all([bundle('old'), bundle('new')]);
  });

  it('continues a workflow of the old version along the old path', async () => {
    const { steps, start, startWalk } = await createVersionedQueue();
    const stopOld = await start(old);
    const handle = await startWalk();
    await expect.poll(() => steps).toEqual(['first']);
    const stopNew = await start(current);
    await stopOld();
    await handle.signal('go');
    await handle.signal('go');
    await handle.result();
    expect(steps).toEqual(['first', 'second', 'third']);
    await stopNew();
  });

  it('fails the tasks of a newer workflow on the old version, and completes it on the new version', async () => {
    const { steps, start, startWalk } = await createVersionedQueue();
    const stopNew = await start(current);
    const handle = await startWalk();
    await expect.poll(() => steps).toEqual(['look', 'first']);
    await stopNew();
    const stopOld = await start(old);
    await handle.signal('go');
    const taskFailed = async (): Promise<boolean> =>
      (await handle.fetchHistory()).events?.some((event) => event.workflowTaskFailedEventAttributes) ?? false;
    await expect.poll(taskFailed).toBe(true);
    expect(steps).toEqual(['look', 'first']);
    const stopNext = await start(current);
    await stopOld();
    await handle.signal('go');
    await handle.result();
    expect(steps).toEqual(['look', 'first', 'second', 'third']);
    await stopNext();
  });
});
