import { randomUUID } from 'node:crypto';
import { ApplicationFailure, type Workflow } from '@temporalio/common';
import { pino } from 'pino';
import { beforeAll, expect, it } from 'vitest';
import { installTemporalLogger } from '../../src/main/temporal/temporal-runtime.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { createTaskWorkers } from '../../src/main/worker/create-task-workers.ts';
import { logActivityAttributes } from '../../src/main/worker/log-activity-attributes.ts';
import { runAgentWorkflowStart } from '../../workflows/changes/messages.ts';
import { createIssueStart } from '../../workflows/products/messages.ts';
import type { WorkflowStart } from '../../workflows/workflow-start.ts';
import { connectTemporal, describeWithTemporal } from '../support/workflows/temporal-client.ts';

const text: string[] = [];
beforeAll(() => installTemporalLogger(pino({ level: 'debug' }, { write: (line) => void text.push(line) })));

const planted = 'planted-secret-4711';
const fail = async (): Promise<never> => {
  throw ApplicationFailure.nonRetryable('The code host refused.', 'refused', { prompt: planted });
};

/** Runs a workflow whose activities fail, and returns the lines that name its org. */
async function logFailure<F extends Workflow>({ type, options }: WorkflowStart<F>, org: string) {
  const { connection, client, taskQueue, close } = await connectTemporal();
  const [worker] = await createTaskWorkers(
    { connection, interceptors: { activity: [logActivityAttributes] }, shutdownGraceTime: 0 },
    {
      queues: ['workflows', 'activities'],
      taskQueue,
      workflowBundle: await buildWorkflowBundle(() => {}),
      activities: { createIssue: fail, openRun: fail },
    },
  );
  await worker!.runUntil(async () => {
    await expect(client.workflow.execute<Workflow>(type, { ...options, taskQueue })).rejects.toThrow(
      'Workflow execution failed',
    );
  });
  await close();
  return text.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['org'] === org);
}

describeWithTemporal('the log of a worker', () => {
  it('names the org of a workflow and of its activity, and the failure without its details or the token of its task', async () => {
    const org = `org-${randomUUID().slice(0, 8)}`;
    const input = { org, product: 'shop', repo: 'acme/shop', requestId: randomUUID(), payloadKey: 'key' };
    const lines = await logFailure(createIssueStart(input), org);
    const failures = lines.filter(({ level }) => level === 40);
    expect(failures.map(({ msg }) => msg).toSorted()).toEqual(['Activity failed', 'Workflow failed']);
    expect(failures[0]).toMatchObject({ error: { message: 'The code host refused.', type: 'refused' } });
    expect(text.join('')).not.toContain(planted);
    // The token of a task completes or fails its activity.
    expect(text.join('')).not.toContain('taskToken');
  });

  it('names the run of a Change', async () => {
    const org = `org-${randomUUID().slice(0, 8)}`;
    const target = { repo: 'acme/shop', number: 7 };
    const input = { org, agentWorkflow: 'change', product: 'shop', startedBy: 'jo', target };
    const lines = await logFailure(runAgentWorkflowStart({ ...input, requestId: randomUUID() }), org);
    const failures = lines.filter(({ level }) => level === 40);
    const runs = new Set(failures.map(({ run }) => run));
    expect(failures.length).toBeGreaterThan(1);
    expect([...runs]).toEqual([expect.stringMatching(/^change-shop-7-/)]);
  });
});
