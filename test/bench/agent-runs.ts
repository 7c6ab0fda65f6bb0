import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type TurnOutcome, createAgentActivities } from '../../activities/agents/agent-activities.ts';
import { wrapActivities } from '../../activities/wrap-activities.ts';
import { createChangeActivities } from '../../activities/changes/change-activities.ts';
import { loadConfig } from '../../src/config.ts';
import { disabledSandbox } from '../../src/integrations/sandbox/disabled-sandbox.ts';
import { noBrowser } from '../../src/integrations/browser/no-browser.ts';
import { openConnections, openStore } from '../../src/main/wiring/open-connections.ts';
import { startWorker } from '../../src/main/worker/start-worker.ts';
import { queueNames } from '../../src/main/worker/queue-names.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { runAgentWorkflowId } from '../../src/rules/changes/run-workflow-id.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowStart } from '../../workflows/changes/messages.ts';
import type { Conversation } from './conversation.ts';
import { trustingJudge } from '../support/trusting-judge.ts';
import { startFakeCodehost } from './fake-codehost.ts';

export type ScenarioNames = { org: string; product: string; agentWorkflow: string; step: string };
const shortNames: ScenarioNames = { org: 'acme', product: 'hello', agentWorkflow: 'talk', step: 'talk' };

export type AgentRuns = {
  /** Runs conversations as the platform does. Returns the history size of each in bytes. */
  runConversations(conversation: Conversation, runs: number): Promise<number[]>;
  /** Runs the same turns without a workflow, to measure the cost of the turns alone. */
  runTurnsDirectly(conversation: Conversation, runs: number): Promise<void>;
  close(): Promise<void>;
};

type AgentRunsOptions = { address: string; dataDir: string; conversations: Conversation[]; names?: ScenarioNames };

/** Starts the platform's own worker, store, transcripts and git with a scripted model and a fake code host. */
export async function startAgentRuns({
  address,
  dataDir,
  conversations,
  names = shortNames,
}: AgentRunsOptions): Promise<AgentRuns> {
  const model = await startModelProcess(conversations);
  const config = loadConfig({ DATA_DIR: dataDir, TEMPORAL_ADDRESS: address, MODEL_BASE_URL: model.url });
  const store = await openStore(config);
  await seedStore(store, names);
  const host = await startFakeCodehost(join(dataDir, 'code.git'));
  const connections = { ...(await openConnections(config, store)), codehost: host.codehost };
  const sandbox = disabledSandbox('A bench runs no commands.');
  const browser = noBrowser('A bench takes no screenshots.');
  const checkouts = { path: join(dataDir, 'checkouts'), name: 'bench' };
  const workerOptions = {
    queues: queueNames,
    sandbox,
    browser,
    checkouts,
    workflowBundle: await buildWorkflowBundle(() => {}),
    registry: new Registry(),
  };
  const worker = await startWorker(config, connections, workerOptions);
  const { temporal } = connections;

  const toInput = (conversation: Conversation): RunAgentWorkflowInput => ({
    org: names.org,
    agentWorkflow: conversation.commits ? toWritingWorkflowName(names) : names.agentWorkflow,
    product: names.product,
    target: { repo, number: host.openIssue(conversation) },
    startedBy: 'ada',
  });
  const executeRun = async (input: RunAgentWorkflowInput): Promise<number> => {
    const { type, options } = runAgentWorkflowStart(input);
    const handle = await temporal.workflow.start(type, options);
    await handle.result();
    const { historySize = Number.NaN } = await handle.describe();
    return historySize;
  };

  const direct = {
    ...connections,
    sandbox,
    checkoutsDir: join(dataDir, 'checkouts'),
    decisions: trustingJudge,
    now: () => new Date(),
  };
  const activities = wrapActivities({ ...createAgentActivities(direct), ...createChangeActivities(direct) });
  const runTurns = async (input: Omit<RunAgentWorkflowInput, 'release'>): Promise<void> => {
    const { org } = names;
    const run = `direct-${input.target?.number}`;
    const environment = new MockActivityEnvironment();
    await environment.run(activities.openRun, { ...input, run, workflowId: runAgentWorkflowId(input) });
    const runTurn = async (turn: number): Promise<TurnOutcome> =>
      await environment.run(activities.runAgentTurn, { org, run, step: names.step, turn });
    for (let turn = 1; !(await runTurn(turn)).done; turn += 1);
  };

  return {
    runConversations: async (conversation, runs) =>
      await Promise.all(Array.from({ length: runs }, async () => await executeRun(toInput(conversation)))),
    runTurnsDirectly: async (conversation, runs) =>
      void (await Promise.all(Array.from({ length: runs }, async () => await runTurns(toInput(conversation))))),
    async close() {
      await worker.stop();
      await connections.close();
      model.process.disconnect();
    },
  };
}

async function startModelProcess(conversations: Conversation[]): Promise<{ url: string; process: ChildProcess }> {
  const script = fileURLToPath(new URL('model-process.ts', import.meta.url));
  const process = fork(script, [JSON.stringify(conversations)], { execArgv: [] });
  const [url] = (await once(process, 'message')) as [string];
  return { url, process };
}

const repo = 'acme/hello';
const toWritingWorkflowName = ({ agentWorkflow }: ScenarioNames): string => `w${agentWorkflow.slice(1)}`;

async function seedStore(store: Store, names: ScenarioNames): Promise<void> {
  const namespace = orgNamespace(names.org);
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: names.org },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: names.product },
    spec: { repos: [repo], delivery: { zones: [{ name: 'hello-prod', promotionPolicy: 'automatic' }] } },
  });
  await store.create(AgentRoleKind, {
    metadata: { namespace, name: 'talker' },
    spec: { responsibilities: ['Talk.'], limits: { turns: 500, tokens: 50_000_000 } },
  });
  for (const [name, mode] of [
    [names.agentWorkflow, 'report'],
    [toWritingWorkflowName(names), 'change'],
  ] as const)
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled: true, triggers: [], steps: [{ name: names.step, type: 'agent', role: 'talker', mode }] },
    });
}
