import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents/agent-activities.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { startModel } from '../../../src/emulators/model/start-model.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { modelPricesConfigMapName } from '../../../src/rules/agents/model-prices.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startAgentRunHarness } from '../../support/changes/agent-run-harness.ts';
import { sample, testSeed } from '../../support/sample.ts';
import { runGit } from '../../support/run-git.ts';
import { toEndlessCommand } from './with-checkpoints.ts';
import {
  holdHookScript,
  issue,
  pushHooks,
  runOneTurn,
  buildThirtyTurns,
  turnCount,
  waitUntilHeld,
} from './thirty-turns.ts';
import type { KilledTurn } from './turn-process.ts';

const namespace = 'org-acme';
const price = { model: 'scripted', inputPerMillion: 3, outputPerMillion: 15, currency: 'USD' };

/** Creates the folder in which the step starts, with everything that a turn uses. */
async function createInitialFolder(root: string): Promise<string> {
  const run = await startAgentRunHarness(issue);
  onTestFinished(run.close);
  const data = { prices: JSON.stringify([price]) };
  await run.deps.store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesConfigMapName }, data });
  await run.deps.store.close();
  const hooks = join(run.folder, 'hello.git', 'hooks');
  mkdirSync(hooks);
  for (const hook of Object.values(pushHooks)) {
    const file = join(hooks, hook);
    writeFileSync(file, holdHookScript);
    chmodSync(file, 0o755);
  }
  return await copyFolder(run.folder, join(root, '0'));
}

async function copyFolder(from: string, to: string): Promise<string> {
  await promisify(execFile)('cp', ['-a', from, to]);
  return to;
}

/** Starts a model that records its requests. */
async function startScriptedModel(): Promise<{ url: string; requests: string[]; close(): Promise<void> }> {
  const requests: string[] = [];
  const scenarios = [{ name: 'thirty', matches: () => true, roles: { implementer: buildThirtyTurns() } }];
  const server = await startModel({ port: 0, scenarios, log: (line) => requests.push(line) });
  onTestFinished(server.close);
  return { ...server, requests };
}

/** A retry runs at a later time than the first attempt. */
const clock = (turn: number, attempt = 0): string => new Date(Date.UTC(2026, 0, 1, 12, turn, attempt)).toISOString();

const hideTimes = (text: string): string => text.replaceAll(/"at":"[^"]+"/g, '"at":"then"');

/** Reads everything that a turn has written, without times. */
async function readState(folder: string, { headSha, ...outcome }: TurnOutcome) {
  const bare = join(folder, 'hello.git');
  const commits = await runGit(bare, 'log', '--format=%H %T %B', '--branches', '--not', 'main');
  if (commits) expect(headSha).toBe(commits.slice(0, 40));
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const ledgers = await store.list(TurnLedgerKind, { namespace });
  const maps = await store.list(ConfigMapKind, { namespace });
  const run = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-hello-7' });
  await store.close();
  return {
    outcome,
    // The commit ids differ because they contain times; the tree ids do not.
    commits: commits.replaceAll(/^[0-9a-f]{40} /gm, ''),
    costs: totalCosts(ledgers.items),
    ledgers: hideTimes(JSON.stringify(ledgers.items.map(({ spec, status }) => ({ spec, status })))),
    artifacts: maps.items.map(({ metadata, binaryData }) => ({ name: metadata.name, binaryData })),
    evidence: run.status?.steps,
    transcript: await readTranscript(join(folder, 'blobs')),
  };
}

/** Replaces the random ids of calls by numbers, so that transcripts can be compared. */
async function readTranscript(folder: string): Promise<Record<string, string>> {
  const blobs = directoryBlobs(folder);
  const ids = new Map<string, string>();
  const transcript: Record<string, string> = {};
  for (const key of await blobs.list('runs/')) {
    const text = Buffer.from((await blobs.find(key)) ?? '').toString('latin1');
    const withoutIds = text.replaceAll(/call_[0-9a-f-]{36}/g, (id) => {
      ids.set(id, ids.get(id) ?? `call ${ids.size}`);
      return ids.get(id) ?? id;
    });
    transcript[key.split('/').slice(3).join('/')] = hideTimes(withoutIds);
  }
  return transcript;
}

/** An uninterrupted turn: the folder before it, its checkpoints, and the state after it. */
type ReferenceTurn = {
  turn: number;
  snapshot: string;
  points: string[];
  expected: Awaited<ReturnType<typeof readState>>;
};

async function runUninterrupted(root: string): Promise<ReferenceTurn[]> {
  const turns: ReferenceTurn[] = [];
  const model = await startScriptedModel();
  let snapshot = await createInitialFolder(root);
  for (let turn = 1; turn <= turnCount; turn += 1) {
    const folder = await copyFolder(snapshot, join(root, String(turn)));
    const points: string[] = [];
    const watch = async (point: string): Promise<void> => void points.push(point);
    const outcome = await runOneTurn({ folder, modelUrl: model.url, turn, at: clock(turn) }, watch);
    if (outcome.changed) points.push(...Object.keys(pushHooks));
    turns.push({ turn, snapshot, points, expected: await readState(folder, outcome) });
    snapshot = folder;
  }
  expect(model.requests).toHaveLength(turnCount);
  expect(turns.at(-1)?.expected).toMatchObject({
    outcome: { verdict: { outcome: 'done' } },
    costs: { turns: turnCount },
  });
  expect(JSON.stringify(turns.at(-1)?.expected.transcript)).not.toContain('error-text');
  return turns;
}

async function runAndKill(turns: KilledTurn[]): Promise<void> {
  const text = JSON.stringify(turns);
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'turn-process.ts'), text], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL']);
}

/** Retries the turn on another worker until it succeeds. */
async function retryTurn({ point, ...dead }: KilledTurn): Promise<TurnOutcome> {
  const hook = pushHooks[point];
  // The push of the killed worker is still in progress when the retry pushes.
  const released = hook
    ? waitUntilHeld(dead.folder, hook, point === 'in a push' ? 2 : 1).then(
        async () => await rm(join(dead.folder, `hold-${hook}`), { force: true }),
      )
    : undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const outcome = await runOneTurn({ ...dead, at: clock(dead.turn, attempt) });
      await released;
      return outcome;
    } catch (error) {
      if (attempt === 5) throw error;
      await pause(100);
    }
  }
}

function listCommands(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(toEndlessCommand(folder));
    } catch {
      return false;
    }
  });
}

/** Kills a worker at checkpoints of a turn, each in its own folder, and retries the turn. */
async function killAtEachPoint({ turn, points, snapshot, expected }: ReferenceTurn): Promise<void> {
  const worlds = sample(points, 2, testSeed + turn).map(async (point, number) => {
    const folder = await copyFolder(snapshot, `${snapshot}-${number}`);
    const model = await startScriptedModel();
    return { model, killed: { folder, turn, point, at: clock(turn), modelUrl: model.url } };
  });
  const trials = await Promise.all(worlds);
  await runAndKill(trials.map(({ killed }) => killed));
  const retries = trials.map(async ({ model, killed }, number) => {
    const { folder, point } = killed;
    await expect.poll(() => listCommands(`${folder}/`)).toEqual([]);
    if ((turn + number) % 3 === 0) await rm(join(folder, 'checkouts'), { recursive: true, force: true });
    const outcome = await retryTurn(killed);
    const label = `turn ${turn}, ${point}, seed ${testSeed}`;
    expect(await readState(folder, outcome), label).toEqual(expected);
    // A response that was not saved before the process died is requested again.
    expect(model.requests.length, label).toBe(point === 'response received' ? 2 : 1);
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await Promise.all(retries);
}

/** Runs all turns in one folder; the worker is killed in every third turn, sometimes with its disk. */
async function killRepeatedly(turns: ReferenceTurn[], folder: string): Promise<void> {
  const model = await startScriptedModel();
  let lost = 0;
  for (const { turn, points, expected } of turns) {
    const point = turn % 3 === 0 ? (points[turn % points.length] ?? '') : 'none';
    const killed = { folder, turn, point, at: clock(turn), modelUrl: model.url };
    if (point !== 'none') await runAndKill([killed]);
    if (turn % 9 === 0) await rm(join(folder, 'checkouts'), { recursive: true, force: true });
    lost += point === 'response received' ? 1 : 0;
    expect(await readState(folder, await retryTurn(killed)), `turn ${turn}, ${point}, after earlier kills`).toEqual(
      expected,
    );
  }
  expect(model.requests).toHaveLength(turnCount + lost);
}

it(
  'leaves the same branch, transcript and cost of a step of thirty turns when its worker is killed at any point',
  { timeout: 900_000 },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'killed-'));
    onTestFinished(async () => await rm(root, { recursive: true, force: true, maxRetries: 5 }));
    const turns = await runUninterrupted(root);
    const repeated = await copyFolder(turns[0]?.snapshot ?? '', join(root, 'repeated'));
    const waiting = sample(turns, 5, testSeed).values();
    const lane = async (): Promise<void> => {
      for (const turn of waiting) await killAtEachPoint(turn);
    };
    await Promise.all([lane(), lane(), killRepeatedly(turns, repeated)]);
  },
);
