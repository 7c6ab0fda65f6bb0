import { fileURLToPath } from 'node:url';
import type { Workflow } from '@temporalio/common';
import { Worker, bundleWorkflowCode } from '@temporalio/worker';
import { expect, it } from 'vitest';
import type { WorkflowStart } from '../../workflows/workflow-start.ts';
import { connectTemporal, describeWithTemporal } from '../support/workflows/temporal-client.ts';
import { eventually } from '../support/workflows/with-workflow-harness.ts';
// The harness reduces the SDK's log to errors.
import '../support/workflows/workflow-harness.ts';

const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const buildStart = (workflowId: string): WorkflowStart<Workflow> => ({
  type: 'child',
  options: {
    workflowId,
    args: [],
    taskQueue: 'ignored',
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    typedSearchAttributes: [],
    priority: {},
    staticSummary: 'child',
    staticDetails: '',
  },
});

describeWithTemporal('startDetached', () => {
  it('keeps the child running when its parent is cancelled or completes, and starts no second one', async () => {
    const { client, connection, taskQueue, close } = await connectTemporal();
    const workflowsPath = fileURLToPath(new URL('start-detached.fixture.ts', import.meta.url));
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger: silentLogger });
    const worker = await Worker.create({ connection, taskQueue, workflowBundle, shutdownGraceTime: 0 });
    await worker.runUntil(async () => {
      const child = client.workflow.getHandle(`${taskQueue}/child`);
      const start = buildStart(child.workflowId);
      const parent = await client.workflow.start('startAndWait', {
        taskQueue,
        workflowId: `${taskQueue}/parent`,
        args: [start],
      });
      const getStatus = async () => (await child.describe().catch(() => undefined))?.status.name;
      await eventually(getStatus).toBe('RUNNING');
      const { runId } = await child.describe();
      await parent.cancel();
      await expect(parent.result()).rejects.toThrow(/cancel/i);
      expect(await getStatus()).toBe('RUNNING');

      const second = await client.workflow.execute('startAll', {
        taskQueue,
        workflowId: `${taskQueue}/second`,
        args: [[start]],
      });
      expect(second).toEqual([null]);
      await child.terminate();
      const [third] = (await client.workflow.execute('startAll', {
        taskQueue,
        workflowId: `${taskQueue}/third`,
        args: [[start]],
      })) as string[];
      expect(third).not.toBe(runId);
      expect((await child.describe()).runId).toBe(third);
      await child.terminate();
    });
    await close();
  });
});
