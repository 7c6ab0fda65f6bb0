import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import type { Blobs } from '../../../src/integrations/blobs/blobs.ts';
import { run as command, turn as says, write } from '../../../src/local/model/example.ts';
import { startModel } from '../../../src/local/model/start-model.ts';
import { AgentRoleKind, AgentWorkflowKind, type StepSpec } from '../../../src/rules/agents/kinds.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { stepPrefix } from '../../../src/rules/agents/transcript-keys.ts';
import { OrganizationKind, ProductKind } from '../../../src/rules/catalog/kinds.ts';
import { type AgentWorkflowRun, AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind, SecretKind } from '../../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import {
  cancelRun,
  opened,
  type RunAgentWorkflowInput,
  runAgentWorkflowId,
} from '../../../workflows/changes/messages.ts';
import type { runAgentWorkflow } from '../../../workflows/index.ts';
import { aCodehost, anApp, git } from '../../local/codehost/a-codehost.ts';
import { connectTemporal, describeWithTemporal, type TemporalForTest } from '../../support/temporal-client.ts';
import { thirtyTurns, turnsOfStep } from './thirty-turns.ts';
import type { WorkerSettings } from './worker-process.ts';

const namespace = 'org-acme';
const sample = join(import.meta.dirname, '../../../src/local/sample/hello');
type World = {
  folder: string;
  store: Store;
  blobs: Blobs;
  temporal: TemporalForTest;
  repo: string;
  settings: Omit<WorkerSettings, 'taskQueue' | 'checkoutsDir' | 'modelUrl'>;
};

/** An org on a code host, with a Product of the sample and an AgentWorkflow of one step. */
async function aWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'killed-'));
  const temporal = await connectTemporal();
  const codehost = await aCodehost();
  await codehost.seedRepository('acme/hello', sample);
  const { app } = await anApp(codehost);
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
  const zones = [{ name: 'hello-prod', arrival: 'automatic' as const }];
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

type Ending = { point: string; turn: number; isTold?: boolean; thenLose?: 'disk' };

/** A run under way, whose workers die one after the other. */
async function aRun(world: World, name: string, roles = { implementer: thirtyTurns() }) {
  const questions: string[] = [];
  const examples = [{ name, matches: () => true, roles }];
  const model = await startModel({ port: 0, examples, log: (line) => questions.push(line) });
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
    pace: { lookAgainMs: 50 },
  };
  const handle = await world.temporal.client.workflow.start<typeof runAgentWorkflow>('runAgentWorkflow', {
    workflowId: runAgentWorkflowId(input),
    taskQueue,
    args: [input],
  });
  const startWorker = (ending?: Ending): ChildProcess => {
    const mine: WorkerSettings = { ...settings, ...(ending && { ending: { isTold: false, ...ending } }) };
    const text = JSON.stringify(mine);
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'worker-process.ts'), text], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    return worker;
  };
  const read = async (run: string): Promise<AgentWorkflowRun> =>
    await world.store.get(AgentWorkflowRunKind, { namespace, name: run });
  return { handle, questions, checkoutsDir, startWorker, read };
}

/** Takes the whole step through these deaths, and tells everything that came of it. */
async function lived(world: World, name: string, endings: Ending[]) {
  const { handle, questions, checkoutsDir, startWorker, read } = await aRun(world, name);
  for (const ending of endings) {
    const [code, signal] = (await once(startWorker(ending), 'exit')) as [number | null, string | null];
    expect([code, signal], ending.point).toEqual(ending.isTold ? [0, null] : [null, 'SIGKILL']);
    if (ending.thenLose) await rm(checkoutsDir, { recursive: true, force: true });
  }
  const last = startWorker();
  const { run } = await handle.executeUpdate(opened);
  await handle.result();
  last.kill('SIGTERM');
  await once(last, 'exit');

  const { metadata, status } = await read(run);
  const step = status?.steps[0];
  const work = await mkdtemp(join(world.folder, 'look-'));
  await git(work, 'clone', '--quiet', '--branch', `service/${run}`, world.repo, '.');
  const ledgers = await world.store.list(TurnLedgerKind, { namespace, fields: { 'spec.run': run } });
  const artifacts = await world.store.list(ConfigMapKind, { namespace });
  return {
    questions: questions.length,
    phase: status?.phase,
    turns: step?.turns,
    usage: step?.usage,
    evidence: step?.evidence?.map(({ name: file, type, sizeBytes }) => ({ file, type, sizeBytes })),
    artifacts: artifacts.items
      .filter((item) => item.metadata.ownerReferences?.[0]?.uid === metadata.uid)
      .map(({ binaryData }) => JSON.stringify(binaryData))
      .sort(),
    tree: await git(work, 'rev-parse', 'HEAD^{tree}'),
    log: await git(work, 'show', 'HEAD:log.txt'),
    commits: (await git(work, 'log', '--format=%(trailers:key=Service-Turn,valueonly)', 'origin/main..HEAD'))
      .split('\n')
      .filter(Boolean),
    spent: totalCosts(ledgers.items).usage,
    transcript: await transcriptOf(world.blobs, metadata.uid),
  };
}

/** By content: calls are numbered as they come, and times are left out. */
async function transcriptOf(blobs: Blobs, uid: string): Promise<Record<string, string>> {
  const keys = await blobs.list(stepPrefix(uid, 'implement'));
  const entries = keys.map(async (key) => {
    const ids = new Map<string, string>();
    const text = Buffer.from((await blobs.find(key)) ?? '')
      .toString('latin1')
      .replaceAll(/call_[0-9a-f-]{36}/g, (id) => {
        ids.set(id, ids.get(id) ?? `call ${ids.size}`);
        return ids.get(id) ?? id;
      })
      .replaceAll(/"at":"[^"]+"/g, '"at":"then"');
    return [key.split('/').slice(2).join('/'), text] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

function commandsOf(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });
}

describeWithTemporal('a step of thirty turns on workers that come and go', () => {
  it('comes out the same whether they are killed, told to stop or lose their disk', { timeout: 600_000 }, async () => {
    const world = await aWorld();
    // Side by side, since most of the time of each is waiting for a heart that does not beat.
    const [undisturbed, ...disturbed] = await Promise.all([
      lived(world, 'calm', []),
      lived(world, 'first', [
        { point: 'answer kept', turn: 3 },
        { point: 'in a command', turn: 14, thenLose: 'disk' },
        { point: 'in a command', turn: 19, isTold: true },
      ]),
      lived(world, 'second', [
        { point: 'in a command', turn: 4, isTold: true, thenLose: 'disk' },
        { point: 'results kept', turn: 12, thenLose: 'disk' },
        { point: 'taken', turn: 30 },
      ]),
    ]);
    expect(undisturbed).toMatchObject({ questions: turnsOfStep, phase: 'Succeeded', turns: turnsOfStep });
    expect(Object.keys(undisturbed.transcript).filter((key) => key.endsWith('/results'))).toHaveLength(turnsOfStep);
    expect(JSON.stringify(undisturbed.transcript)).not.toContain('error-text');
    expect(undisturbed.evidence).toHaveLength(6);
    expect(undisturbed.log.split('\n')).toHaveLength(6);
    for (const run of disturbed) expect(run).toEqual(undisturbed);
    expect(undisturbed.spent).toMatchObject(undisturbed.usage ?? {});
  });

  it('ends at once, with its command, when a person cancels, and leaves no branch', async () => {
    const world = await aWorld();
    const marker = `cancelled-${world.temporal.taskQueue}`;
    const waits = {
      implementer: [says('Write.', write('a.txt', 'a')), says('Wait.', command(`sleep 300; : ${marker}`))],
    };
    const { handle, startWorker, read } = await aRun(world, 'cancelled', waits);
    const worker = startWorker();
    const { run } = await handle.executeUpdate(opened);
    await expect.poll(() => commandsOf(`: ${marker}`).length, { timeout: 40_000 }).toBeGreaterThan(0);
    const before = performance.now();
    await handle.executeUpdate(cancelRun, { args: [{ run, by: 'ada' }] });
    await handle.result();
    expect(performance.now() - before).toBeLessThan(20_000);
    const { status, metadata } = await read(run);
    expect([status?.phase, status?.steps[0]?.phase]).toEqual(['Cancelled', 'Cancelled']);
    await expect.poll(() => commandsOf(`: ${marker}`), { timeout: 5_000 }).toEqual([]);
    expect(await git(world.folder, 'ls-remote', world.repo, `refs/heads/service/${run}`)).toBe('');
    const keys = await world.blobs.list(stepPrefix(metadata.uid, 'implement'));
    expect(keys.filter((key) => key.endsWith('/results'))).toHaveLength(1);
    expect(worker.exitCode).toBeNull();
  });
});
