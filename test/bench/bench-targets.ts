import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker, bundleWorkflowCode } from '@temporalio/worker';
import { createChangeActivities } from '../../activities/changes/change-activities.ts';
import { wrapActivities } from '../../activities/wrap-activities.ts';
import { createIntakeActivities } from '../../activities/intake/intake-activities.ts';
import { startRunWorkflow } from '../../api/changes/start-run-workflow.ts';
import { loadConfig } from '../../src/config.ts';
import type { Codehost } from '../../src/integrations/codehost/codehost.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { createTaskWorkers } from '../../src/main/worker/create-task-workers.ts';
import { queueNames } from '../../src/main/worker/queue-names.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { routeDeliveryStart } from '../../workflows/intake/messages.ts';
import { trustingJudge } from '../support/trusting-judge.ts';
import { FirstSteps } from './first-steps.ts';

/** The times of one run, measured from the start call. */
export type RunTiming = { firstMs: number; totalMs: number };
export type BenchTarget = { run(steps: number): Promise<RunTiming>; close(): Promise<void> };
export type ServiceTarget = BenchTarget & { runFromDelivery(steps: number): Promise<RunTiming> };

const org = 'acme';
const repo = 'acme/hello';
const now = (): Date => new Date();
const silentLogger = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Starts a worker for a plain Temporal workflow with as many steps or turns and the SDK's defaults. */
export async function startBaseline(
  address: string,
  type: 'baseline' | 'baselineTurns' = 'baseline',
): Promise<BenchTarget> {
  const connection = await NativeConnection.connect({ address });
  const { workflow } = new Client({ connection });
  const taskQueue = type;
  const firstSteps = new FirstSteps();
  const workflowsPath = fileURLToPath(new URL('baseline-workflows.ts', import.meta.url));
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: await bundleWorkflowCode({ workflowsPath, logger: silentLogger }),
    activities: { doNothing: async () => firstSteps.recordEntry() },
  });
  const running = worker.run();
  return {
    async run(steps) {
      const workflowId = `${type}/${randomUUID()}`;
      const startedAt = performance.now();
      const handle = await workflow.start(type, { workflowId, taskQueue, args: [steps] });
      await handle.result();
      return { firstMs: firstSteps.getEnteredAt(workflowId) - startedAt, totalMs: performance.now() - startedAt };
    },
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** Starts the platform's own store, workflows and worker. Agents and the code host respond at once. */
export async function startService(address: string, dataDir: string): Promise<ServiceTarget> {
  const store = openSqliteStore({ file: join(dataDir, 'store.sqlite') });
  await seedStore(store);
  const blobs = directoryBlobs(join(dataDir, 'blobs'));
  const connection = await NativeConnection.connect({ address });
  const temporal = new Client({ connection });
  const firstSteps = new FirstSteps();
  const quotas = { ...loadConfig({}).quotas, runsPerOrg: 10_000 };
  const common = { connection };
  const workers = await createTaskWorkers(common, {
    queues: queueNames,
    workflowBundle: await buildWorkflowBundle(() => {}),
    activities: wrapActivities({
      ...createChangeActivities({ store, blobs, codehost: unreachableCodehost, decisions: trustingJudge, now }),
      ...createIntakeActivities({ store, now, quotas }),
      readTarget: async () => ({ title: 'An issue', url: 'http://localhost/issues/1', author: 'ada' }),
      runAgentTurn: async () => {
        firstSteps.recordEntry();
        return { done: true, verdict: { outcome: 'done', summary: '' }, usage, changed: false };
      },
    }),
  });
  const running = Promise.all(workers.map(async (worker) => await worker.run()));
  let issues = 0;
  const measureRun = async (agentWorkflow: string, start: (number: number) => Promise<unknown>): Promise<RunTiming> => {
    const number = (issues += 1);
    const target = { repo, number };
    const workflowId = runAgentWorkflowId({ org, agentWorkflow, product: 'hello', target });
    const startedAt = performance.now();
    await start(number);
    await temporal.workflow.getHandle(workflowId).result();
    return { firstMs: firstSteps.getEnteredAt(workflowId) - startedAt, totalMs: performance.now() - startedAt };
  };

  return {
    run: async (steps) =>
      await measureRun(toWorkflowName(steps), async (number) => {
        const target = { repo, number };
        const input = { org, agentWorkflow: toWorkflowName(steps), product: 'hello', target, startedBy: 'ada' };
        const request = { id: randomUUID(), hasIdempotencyKey: false };
        const start = { org, request, payload: input, prepare: async () => input };
        await startRunWorkflow({ store, temporal, now, config: { quotas } } as never, start);
      }),
    runFromDelivery: async (steps) =>
      await measureRun(toWorkflowName(steps), async (number) => {
        const input = {
          org,
          deliveryId: randomUUID(),
          facts: { ...openedFacts, number, labels: [toWorkflowName(steps)] },
        };
        const { type, options } = routeDeliveryStart({ ...input, bodyHash: 'none' });
        const handle = await temporal.workflow.start(type, options);
        // The run exists only after the routing has finished.
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
const openedFacts = {
  event: 'issues',
  action: 'opened',
  repo,
  senderIsBot: false,
  isPullRequest: false,
} as const;
const unreachableCodehost: Codehost = {
  forOrg: async (name) => await Promise.reject(new Error(`No code host for ${name}.`)),
};
const toWorkflowName = (steps: number): string => `report-${steps}`;

/** Creates AgentWorkflows with 3 and 10 empty steps, each triggered by a label with its name. */
async function seedStore(store: Store): Promise<void> {
  const namespace = orgNamespace(org);
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: 'acme/gitops' },
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: [repo], delivery: { zones: [{ name: 'hello-prod', promotionPolicy: 'automatic' }] } },
  });
  const metadata = { namespace, name: 'reporter' };
  await store.create(AgentRoleKind, { metadata, spec: { responsibilities: ['Do nothing.'] } });
  for (const count of [3, 10]) {
    const steps = Array.from({ length: count }, (_, index): StepSpec => {
      return { name: `step-${index}`, type: 'agent', role: 'reporter', mode: 'report' };
    });
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name: toWorkflowName(count) },
      spec: {
        enabled: true,
        triggers: [{ type: 'event', event: 'issue.opened', labels: [toWorkflowName(count)] }],
        steps,
      },
    });
  }
}
