import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MockActivityEnvironment } from '@temporalio/testing';
import { type TurnOutcome, createAgentActivities } from '../../activities/agents.ts';
import { atBoundary } from '../../activities/at-boundary.ts';
import { createChangeActivities } from '../../activities/changes.ts';
import { loadConfig } from '../../src/config.ts';
import { refusingSandbox } from '../../src/integrations/sandbox/refusing.ts';
import { missingBrowser } from '../../src/integrations/browser/missing.ts';
import { connect, openStore } from '../../src/main/connect.ts';
import { startWorker } from '../../src/main/run-worker.ts';
import { queueNames } from '../../src/main/task-workers.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { OrganizationKind, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { type RunAgentWorkflowInput, runAgentWorkflowId, runSummary } from '../../workflows/changes/messages.ts';
import { searchAttributes } from '../../workflows/search-attributes.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import type { Conversation } from './conversation.ts';
import { startIssueHost } from './issue-host.ts';

export type Names = { org: string; product: string; agentWorkflow: string; step: string };
const shortNames: Names = { org: 'acme', product: 'hello', agentWorkflow: 'talk', step: 'talk' };

export type AgentRuns = {
  /** As the platform does it; answers the bytes of history of each. */
  converse(conversation: Conversation, runs: number): Promise<number[]>;
  /** The same turns with no workflow around them: what the turns themselves take. */
  takeTurns(conversation: Conversation, runs: number): Promise<void>;
  close(): Promise<void>;
};

type Setting = { address: string; dataDir: string; conversations: Conversation[]; names?: Names };

/** The platform's own worker, store, transcripts and git; the model and the code host say what a script says. */
export async function startAgentRuns({
  address,
  dataDir,
  conversations,
  names = shortNames,
}: Setting): Promise<AgentRuns> {
  const model = await startModelProcess(conversations);
  const config = loadConfig({ DATA_DIR: dataDir, TEMPORAL_ADDRESS: address, MODEL_BASE_URL: model.url });
  const store = await openStore(config);
  await fill(store, names);
  const host = await startIssueHost(join(dataDir, 'code.git'));
  const connections = { ...(await connect(config, store)), codehost: host.codehost };
  const sandbox = refusingSandbox('A bench runs no commands.');
  const browser = missingBrowser('A bench takes no pictures.');
  const checkouts = { path: join(dataDir, 'checkouts'), name: 'bench' };
  const tools = { queues: queueNames, sandbox, browser, checkouts, workflowBundle: await workflowBundle(() => {}) };
  const worker = await startWorker(config, connections, tools);
  const { temporal } = connections;

  const inputOf = (conversation: Conversation): RunAgentWorkflowInput => ({
    org: names.org,
    agentWorkflow: conversation.writes ? writing(names) : names.agentWorkflow,
    product: names.product,
    target: { repo, number: host.open(conversation) },
    startedBy: 'ada',
  });
  const runToEnd = async (input: RunAgentWorkflowInput): Promise<number> => {
    const handle = await temporal.workflow.start('runAgentWorkflow', {
      taskQueue: defaultTaskQueue,
      workflowId: runAgentWorkflowId(input),
      args: [input],
      typedSearchAttributes: searchAttributes({ org: input.org, product: input.product, targetKind: 'issue' }),
      ...runSummary(input),
    });
    await handle.result();
    const { historySize = Number.NaN } = await handle.describe();
    return historySize;
  };

  const direct = { ...connections, sandbox, checkoutsDir: join(dataDir, 'checkouts'), now: () => new Date() };
  const activities = atBoundary({ ...createAgentActivities(direct), ...createChangeActivities(direct) });
  const takeAll = async (input: Omit<RunAgentWorkflowInput, 'release'>): Promise<void> => {
    const { org } = names;
    const run = `direct-${input.target?.number}`;
    const environment = new MockActivityEnvironment();
    await environment.run(activities.openRun, { ...input, run, workflowId: runAgentWorkflowId(input) });
    const take = async (turn: number): Promise<TurnOutcome> =>
      await environment.run(activities.agentTurn, { org, run, step: names.step, turn });
    for (let turn = 1; !(await take(turn)).done; turn += 1);
  };

  return {
    converse: async (conversation, runs) =>
      await Promise.all(Array.from({ length: runs }, async () => await runToEnd(inputOf(conversation)))),
    takeTurns: async (conversation, runs) =>
      void (await Promise.all(Array.from({ length: runs }, async () => await takeAll(inputOf(conversation))))),
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
const writing = ({ agentWorkflow }: Names): string => `w${agentWorkflow.slice(1)}`;

async function fill(store: Store, names: Names): Promise<void> {
  const namespace = orgNamespace(names.org);
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: names.org },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(ProductKind, {
    metadata: { namespace, name: names.product },
    spec: { repos: [repo], delivery: { zones: [{ name: 'hello-prod', arrival: 'automatic' }] } },
  });
  await store.create(AgentRoleKind, {
    metadata: { namespace, name: 'talker' },
    spec: { responsibilities: ['Talk.'], limits: { turns: 500, tokens: 50_000_000 } },
  });
  for (const [name, mode] of [
    [names.agentWorkflow, 'report'],
    [writing(names), 'change'],
  ] as const)
    await store.create(AgentWorkflowKind, {
      metadata: { namespace, name },
      spec: { enabled: true, triggers: [], steps: [{ name: names.step, type: 'agent', role: 'talker', mode }] },
    });
}
