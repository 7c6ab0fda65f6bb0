import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { createChangeActivities } from '../../activities/changes.ts';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createIntakeActivities } from '../../activities/intake.ts';
import { openRun } from '../../api/changes/open-run.ts';
import type { ApiDeps } from '../../api/deps.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { createTaskWorkers, queueNames } from '../../src/main/task-workers.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { runAgentWorkflowId } from '../../workflows/changes/messages.ts';
import { routeDeliveryId } from '../../workflows/intake/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { FirstSteps } from './first-steps.ts';

/** What one run took, from the start call on. */
export type Took = { firstMs: number; totalMs: number };
export type Contender = { run(steps: number): Promise<Took>; close(): Promise<void> };
export type Ours = Contender & { runByDelivery(steps: number): Promise<Took> };

const org = 'acme';
const repo = 'acme/hello';
const now = (): Date => new Date();
const silent = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The same steps, or turns, with nothing of ours: the library's own defaults, a regular start. */
export async function startBare(address: string, type: 'bare' | 'bareTurns' = 'bare'): Promise<Contender> {
  const connection = await NativeConnection.connect({ address });
  const { workflow } = new Client({ connection });
  const taskQueue = type;
  const first = new FirstSteps();
  const workflowsPath = fileURLToPath(new URL('bare.ts', import.meta.url));
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: silent }),
    activities: { nothing: async () => first.enter() },
  });
  const running = worker.run();
  return {
    async run(steps) {
      const workflowId = `${type}/${randomUUID()}`;
      const startedAt = performance.now();
      const handle = await workflow.start(type, { workflowId, taskQueue, args: [steps] });
      await handle.result();
      return { firstMs: first.of(workflowId) - startedAt, totalMs: performance.now() - startedAt };
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** Our runs as the platform has them: its store, workflows, starts and worker; agents and code host answer at once. */
export async function startOurs(address: string, dataDir: string): Promise<Ours> {
  const store = openSqliteStore({ file: join(dataDir, 'store.sqlite') });
  await fill(store);
  const blobs = directoryBlobs(join(dataDir, 'blobs'));
  const connection = await NativeConnection.connect({ address });
  const temporal = new Client({ connection });
  const first = new FirstSteps();
  const common = { connection };
  const workers = await createTaskWorkers(common, {
    queues: queueNames,
    workflowBundle: await workflowBundle(() => {}),
    activities: atBoundary({
      ...createChangeActivities({ store, blobs, codehost: nowhere, now }),
      ...createIntakeActivities({ store, now }),
      readTarget: async () => ({ title: 'An issue', url: 'http://localhost/issues/1', author: 'ada' }),
      agentTurn: async () => {
        first.enter();
        return { done: true, verdict: { outcome: 'done', summary: '' }, usage, changed: false };
      },
    }),
  });
  const running = Promise.all(workers.map(async (worker) => await worker.run()));
  let issues = 0;
  const took = async (agentWorkflow: string, start: (number: number) => Promise<unknown>): Promise<Took> => {
    const number = (issues += 1);
    const target = { repo, number };
    const workflowId = runAgentWorkflowId({ org, agentWorkflow, product: 'hello', target, startedBy: 'ada' });
    const startedAt = performance.now();
    await start(number);
    await temporal.workflow.getHandle(workflowId).result();
    return { firstMs: first.of(workflowId) - startedAt, totalMs: performance.now() - startedAt };
  };

  return {
    run: async (steps) =>
      await took(named(steps), async (number) => {
        const target = { repo, number };
        const input = { org, agentWorkflow: named(steps), product: 'hello', target, startedBy: 'ada' };
        await openRun({ store, temporal, now } as ApiDeps, input, { id: randomUUID(), repeatable: false });
      }),
    runByDelivery: async (steps) =>
      await took(named(steps), async (number) => {
        const delivery = randomUUID();
        const input = { org, delivery, facts: { ...opened, number, labels: [named(steps)] } };
        const handle = await temporal.workflow.start('routeDelivery', {
          taskQueue: defaultTaskQueue,
          workflowId: routeDeliveryId({ ...input, bodyHash: '' }),
          args: [input],
          typedSearchAttributes: searchAttributes({ org, targetKind: 'delivery' }),
        });
        // Only then is the run known to be there.
        await handle.result();
      }),
    async close() {
      for (const worker of workers) worker.shutdown();
      await running;
      await connection.close();
      await store.close();
    },
  };
}

const usage = { inputTokens: 0, outputTokens: 0 };
const opened = {
  event: 'issues',
  action: 'opened',
  repo,
  senderIsBot: false,
  isPullRequest: false,
} as const;
const nowhere: Codehost = { forOrg: async (of) => await Promise.reject(new Error(`No code host for ${of}.`)) };
const named = (steps: number): string => `report-${steps}`;

/** AgentWorkflows of 3 and of 10 steps in which nothing happens, each started by a label of its name. */
async function fill(store: Store): Promise<void> {
  const namespace = orgNamespace(org);
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: 'acme/gitops' },
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: [repo], delivery: { zones: [{ name: 'hello-prod', arrival: 'automatic' }] } },
  });
  const metadata = { namespace, name: 'reporter' };
  await store.create(AgentRoleKind, { metadata, spec: { responsibilities: ['Say nothing.'] } });
  for (const count of [3, 10]) {
    const steps = Array.from({ length: count }, (_, index): StepSpec => {
      return { name: `step-${index}`, type: 'agent', role: 'reporter', mode: 'report' };
    });
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name: named(count) },
      spec: { enabled: true, triggers: [{ type: 'event', event: 'issue.opened', labels: [named(count)] }], steps },
    });
  }
}
