import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import proto from '@temporalio/proto';
import { expect, inject, it, onTestFinished } from 'vitest';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { runCommand as command, turn as says, write } from '../../../src/emulators/model/scenario.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { stepPrefix } from '../../../src/rules/agents/transcript-keys.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { runAgentWorkflowId } from '../../../src/rules/changes/run-workflow-id.ts';
import { cancelRunUpdate, waitForRunUpdate, type RunAgentWorkflowInput } from '../../../workflows/changes/messages.ts';
import type { runAgentWorkflow } from '../../../workflows/index.ts';
import { startTestCodehost, registerApp } from '../../emulators/codehost/codehost-fixture.ts';
import { runGit } from '../../support/run-git.ts';
import { connectTemporal, describeWithTemporal, type TestTemporal } from '../../support/workflows/temporal-client.ts';
import { sample as drawSample } from '../../support/sample.ts';
import { buildThirtyTurns, turnCount } from './thirty-turns.ts';
import type { WorkerSettings } from './worker-process.ts';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;
const namespace = 'org-acme';
const sample = join(import.meta.dirname, '../../../src/emulators/sample/hello');
type World = {
  folder: string;
  store: Store;
  blobs: Blobs;
  temporal: TestTemporal;
  repo: string;
  settings: Omit<WorkerSettings, 'taskQueue' | 'checkoutsDir' | 'modelUrl'>;
};

/** Creates an org on a code host, with the sample Product and an AgentWorkflow of one step. */
async function createWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  const temporal = await connectTemporal();
  const codehost = await startTestCodehost();
  await codehost.seedRepository('acme/hello', sample);
  const { app } = await registerApp(codehost);
  const storeFile = join(folder, 'store.sqlite');
  const store = openSqliteStore({ file: storeFile });
  onTestFinished(async () => {
    await store.close();
    await temporal.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await store.create(OrganizationKind, {
    metadata: { namespace: 'service-system', name: 'acme' },
    spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' },
  });
  await store.create(SecretKind, {
    metadata: { namespace, name: 'codehost-app' },
    data: { 'app-id': base64(String(app.id)), 'private-key': base64(app.pem) },
  });
  const zones = [{ name: 'hello-prod', promotionPolicy: 'automatic' as const }];
  await store.create(ProductKind, {
    metadata: { namespace, name: 'hello' },
    spec: { repos: ['acme/hello'], delivery: { zones } },
  });
  await store.create(AgentRoleKind, {
    metadata: { namespace, name: 'implementer' },
    spec: { responsibilities: ['Write.'] },
  });
  const steps: StepSpec[] = [{ name: 'implement', type: 'agent', role: 'implementer', mode: 'change' }];
  await store.create(AgentWorkflowKind, {
    metadata: { namespace, name: 'change' },
    spec: { enabled: true, triggers: [], steps },
  });
  const blobsDir = join(folder, 'blobs');
  const address = inject('temporalAddress') ?? '';
  const repo = `${codehost.url.replace('://', `://owner:${codehost.userToken}@`)}/acme/hello.git`;
  const settings = { address, storeFile, blobsDir, codehostApiUrl: codehost.apiUrl };
  return { folder, store, blobs: directoryBlobs(blobsDir), temporal, repo, settings };
}

/** A worker is killed at the checkpoint, or shut down when `isShutdown` is true. */
type Ending = { point: string; turn: number; isShutdown?: boolean; losesDisk?: boolean };

/** Starts a run; the test starts and ends its workers. */
async function startRun(world: World, name: string, roles = { implementer: buildThirtyTurns() }) {
  const requests: string[] = [];
  const scenarios = [{ name, matches: () => true, roles }];
  const model = await startModel({ port: 0, scenarios, log: (line) => requests.push(line) });
  onTestFinished(model.close);
  const taskQueue = `${world.temporal.taskQueue}-${name}`;
  const checkoutsDir = join(world.folder, `host-${name}`);
  const settings: WorkerSettings = { ...world.settings, taskQueue, checkoutsDir, modelUrl: model.url };
  const input: RunAgentWorkflowInput = {
    org: 'acme',
    agentWorkflow: 'change',
    product: 'hello',
    startedBy: 'ada',
    requestId: taskQueue,
    intervals: { pollIntervalMs: 50 },
  };
  const handle = await world.temporal.client.workflow.start<typeof runAgentWorkflow>('runAgentWorkflow', {
    workflowId: runAgentWorkflowId(input),
    taskQueue,
    args: [input],
  });
  const startWorker = (ending?: Ending): ChildProcess => {
    const workerSettings: WorkerSettings = { ...settings, ...(ending && { endAt: { isShutdown: false, ...ending } }) };
    const text = JSON.stringify(workerSettings);
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker-process.ts'), text], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    return worker;
  };
  const read = async (run: string): Promise<AgentWorkflowRun> =>
    await world.store.get(AgentWorkflowRunKind, { namespace, name: run });
  return { handle, requests, checkoutsDir, startWorker, read };
}

/** Tells the server that a worker has died, which it would learn only when no heartbeat arrives. */
async function failActivities({ client }: TestTemporal, handle: WorkflowHandle): Promise<void> {
  const { pendingActivities } = (await handle.describe()).raw;
  const running = (pendingActivities ?? []).filter(({ state }) => state === PENDING_ACTIVITY_STATE_STARTED);
  for (const { activityId = null } of running)
    await client.workflowService.respondActivityTaskFailedById({
      namespace: client.options.namespace,
      workflowId: handle.workflowId,
      activityId,
      failure: { message: 'The worker has died.', applicationFailureInfo: { type: 'WorkerDeath' } },
    });
}

/** Runs the whole step through the given worker endings, and returns its results. */
async function runThrough(world: World, name: string, endings: Ending[]) {
  const { handle, requests, checkoutsDir, startWorker, read } = await startRun(world, name);
  for (const [index, ending] of endings.entries()) {
    const [code, signal] = (await once(startWorker(ending), 'exit')) as [number | null, string | null];
    expect([code, signal], ending.point).toEqual(ending.isShutdown ? [0, null] : [null, 'SIGKILL']);
    if (ending.losesDisk) await rm(checkoutsDir, { recursive: true, force: true });
    // The server finds the first death by itself.
    if (!ending.isShutdown && index > 0) await failActivities(world.temporal, handle);
  }
  const last = startWorker();
  const { run } = await handle.executeUpdate(waitForRunUpdate);
  await handle.result();
  last.kill('SIGTERM');
  await once(last, 'exit');

  const { metadata, status } = await read(run);
  const step = status?.steps[0];
  const work = await mkdtemp(join(world.folder, 'look-'));
  await runGit(work, 'clone', '--quiet', '--branch', `service/${run}`, world.repo, '.');
  const ledgers = await world.store.list(TurnLedgerKind, { namespace, fields: { 'spec.run': run } });
  const artifacts = await world.store.list(ConfigMapKind, { namespace });
  return {
    requests: requests.length,
    phase: status?.phase,
    turns: step?.turns,
    usage: { ...step?.usage, seconds: 0 },
    evidence: step?.evidence?.map(({ name: file, type, sizeBytes }) => ({ file, type, sizeBytes })),
    artifacts: artifacts.items
      .filter((item) => item.metadata.ownerReferences?.[0]?.uid === metadata.uid)
      .map(({ binaryData }) => JSON.stringify(binaryData))
      .sort(),
    tree: await runGit(work, 'rev-parse', 'HEAD^{tree}'),
    log: await runGit(work, 'show', 'HEAD:log.txt'),
    commits: (await runGit(work, 'log', '--format=%(trailers:key=Service-Turn,valueonly)', 'origin/main..HEAD'))
      .split('\n')
      .filter(Boolean),
    spent: { ...totalCosts(ledgers.items).usage, seconds: 0 },
    transcript: await readTranscript(world.blobs, metadata.uid),
  };
}

/** Replaces the random ids of calls by numbers and drops times, so that transcripts can be compared. */
async function readTranscript(blobs: Blobs, uid: string): Promise<Record<string, string>> {
  const keys = await blobs.list(stepPrefix(uid, 'implement'));
  const entries = keys.map(async (key) => {
    const ids = new Map<string, string>();
    const text = Buffer.from((await blobs.find(key)) ?? '')
      .toString('latin1')
      .replaceAll(/call_[0-9a-f-]{36}/g, (id) => {
        ids.set(id, ids.get(id) ?? `call ${ids.size}`);
        return ids.get(id) ?? id;
      })
      .replaceAll(/"at":"[^"]+"/g, '"at":"then"')
      .replaceAll(/"seconds":[\d.]+/g, '"seconds":0');
    return [key.split('/').slice(2).join('/'), text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function listCommands(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

const interruptions: [name: string, endings: Ending[]][] = [
  [
    'first',
    [
      { point: 'response saved', turn: 3 },
      { point: 'in a command', turn: 14, losesDisk: true },
      { point: 'in a command', turn: 19, isShutdown: true },
    ],
  ],
  [
    'second',
    [
      { point: 'in a command', turn: 4, isShutdown: true, losesDisk: true },
      { point: 'results saved', turn: 12, losesDisk: true },
      { point: 'turn finished', turn: 30 },
    ],
  ],
];

describeWithTemporal('a step of thirty turns on failing workers', () => {
  it('has the same result when workers are killed, shut down or lose their disk', { timeout: 600_000 }, async () => {
    const world = await createWorld();
    // They run in parallel, because most of the time is spent on heartbeat timeouts.
    const [uninterrupted, ...interrupted] = await Promise.all([
      runThrough(world, 'uninterrupted', []),
      ...drawSample(interruptions, 1).map(async ([name, endings]) => await runThrough(world, name, endings)),
    ]);
    expect(uninterrupted).toMatchObject({ requests: turnCount, phase: 'Succeeded', turns: turnCount });
    expect(Object.keys(uninterrupted.transcript).filter((key) => key.endsWith('/results'))).toHaveLength(turnCount);
    expect(JSON.stringify(uninterrupted.transcript)).not.toContain('error-text');
    expect(uninterrupted.evidence).toHaveLength(6);
    expect(uninterrupted.log.split('\n')).toHaveLength(6);
    for (const run of interrupted) expect(run).toEqual(uninterrupted);
    expect(uninterrupted.spent).toMatchObject(uninterrupted.usage ?? {});
  });

  it('ends at once with its command on a cancellation, and leaves no branch', async () => {
    const world = await createWorld();
    const marker = `cancelled-${world.temporal.taskQueue}`;
    const roles = {
      implementer: [says('Write.', write('a.txt', 'a')), says('Wait.', command(`sleep 900; : ${marker}`))],
    };
    const { handle, startWorker, read } = await startRun(world, 'cancelled', roles);
    const worker = startWorker();
    const { run } = await handle.executeUpdate(waitForRunUpdate);
    await expect.poll(() => listCommands(`: ${marker}`).length).toBeGreaterThan(0);
    await handle.executeUpdate(cancelRunUpdate, { args: [{ run, by: 'ada' }] });
    await handle.result();
    const { status, metadata } = await read(run);
    expect([status?.phase, status?.steps[0]?.phase]).toEqual(['Cancelled', 'Cancelled']);
    await expect.poll(() => listCommands(`: ${marker}`)).toEqual([]);
    expect(await runGit(world.folder, 'ls-remote', world.repo, `refs/heads/service/${run}`)).toBe('');
    const keys = await world.blobs.list(stepPrefix(metadata.uid, 'implement'));
    expect(keys.filter((key) => key.endsWith('/results'))).toHaveLength(1);
    expect(worker.exitCode).toBeNull();
  });
});
