import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import type { TurnOutcome } from '../../../activities/agents.ts';
import { directoryBlobs } from '../../../src/integrations/blobs/directory.ts';
import { startModel } from '../../../src/local/model/start-model.ts';
import { TurnLedgerKind } from '../../../src/rules/agents/ledger-kinds.ts';
import { modelPricesName } from '../../../src/rules/agents/model-prices.ts';
import { totalCosts } from '../../../src/rules/agents/sum-costs.ts';
import { AgentWorkflowRunKind } from '../../../src/rules/changes/kinds.ts';
import { ConfigMapKind } from '../../../src/rules/core-kinds.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { startAgentRun } from '../../support/agent-run.ts';
import { git } from '../../local/codehost/a-codehost.ts';
import { endless } from './watched-deps.ts';
import { holdHook, issue, pointsOfPush, takeOneTurn, thirtyTurns, turnsOfStep, untilHeld } from './thirty-turns.ts';
import type { DyingTurn } from './turn-process.ts';

const namespace = 'org-acme';
const price = { model: 'rehearsal', inputPerMillion: 3, outputPerMillion: 15, currency: 'USD' };

/** Where the step begins: a folder with all that a turn works with. */
async function theBeginning(root: string): Promise<string> {
  const run = await startAgentRun(issue);
  onTestFinished(run.close);
  const data = { prices: JSON.stringify([price]) };
  await run.deps.store.create(ConfigMapKind, { metadata: { namespace, name: modelPricesName }, data });
  await run.deps.store.close();
  for (const hook of Object.values(pointsOfPush)) {
    const file = join(run.folder, 'hello.git', 'hooks', hook);
    writeFileSync(file, holdHook);
    chmodSync(file, 0o755);
  }
  return await copied(run.folder, join(root, '0'));
}

async function copied(from: string, to: string): Promise<string> {
  await promisify(execFile)('cp', ['-a', from, to]);
  return to;
}

/** The model of one world, which counts what it is asked. */
async function aModel(): Promise<{ url: string; questions: string[]; close(): Promise<void> }> {
  const questions: string[] = [];
  const examples = [{ name: 'thirty', matches: () => true, roles: { implementer: thirtyTurns() } }];
  const server = await startModel({ port: 0, examples, log: (line) => questions.push(line) });
  onTestFinished(server.close);
  return { ...server, questions };
}

/** A turn is taken up later than it was begun. */
const clock = (turn: number, attempt = 0): string => new Date(Date.UTC(2026, 0, 1, 12, turn, attempt)).toISOString();

/** All that a turn leaves behind, without the times. */
async function left(folder: string, { headSha, ...outcome }: TurnOutcome) {
  const bare = join(folder, 'hello.git');
  const commits = await git(bare, 'log', '--format=%H %T %B', '--branches', '--not', 'main');
  if (commits) expect(headSha).toBe(commits.slice(0, 40));
  const store = openSqliteStore({ file: join(folder, 'store.db') });
  const ledgers = await store.list(TurnLedgerKind, { namespace });
  const maps = await store.list(ConfigMapKind, { namespace });
  const run = await store.get(AgentWorkflowRunKind, { namespace, name: 'change-hello-7' });
  await store.close();
  return {
    outcome,
    // Trees say what is in them; the commits themselves have other times.
    commits: commits.replaceAll(/^[0-9a-f]{40} /gm, ''),
    costs: totalCosts(ledgers.items),
    ledgers: ledgers.items.map(({ spec, status }) => ({ spec, status })),
    artifacts: maps.items.map(({ metadata, binaryData }) => ({ name: metadata.name, binaryData })),
    evidence: run.status?.steps,
    transcript: await transcriptOf(join(folder, 'blobs')),
  };
}

/** Calls are numbered as they come, since the model names the same call anew each time it is asked. */
async function transcriptOf(folder: string): Promise<Record<string, string>> {
  const blobs = directoryBlobs(folder);
  const ids = new Map<string, string>();
  const transcript: Record<string, string> = {};
  for (const key of await blobs.list('runs/')) {
    transcript[key.split('/').slice(3).join('/')] = Buffer.from((await blobs.find(key)) ?? '')
      .toString('latin1')
      .replaceAll(/call_[0-9a-f-]{36}/g, (id) => {
        ids.set(id, ids.get(id) ?? `call ${ids.size}`);
        return ids.get(id) ?? id;
      })
      .replaceAll(/"at":"[^"]+"/g, '"at":"then"');
  }
  return transcript;
}

/** A turn that nothing disturbed: the world before it, its points, and what it left. */
type TurnOfStep = { turn: number; snapshot: string; points: string[]; wanted: Awaited<ReturnType<typeof left>> };

async function undisturbed(root: string): Promise<TurnOfStep[]> {
  const turns: TurnOfStep[] = [];
  const model = await aModel();
  let snapshot = await theBeginning(root);
  for (let turn = 1; turn <= turnsOfStep; turn += 1) {
    const folder = await copied(snapshot, join(root, String(turn)));
    const points: string[] = [];
    const watch = async (point: string): Promise<void> => void points.push(point);
    const outcome = await takeOneTurn({ folder, modelUrl: model.url, turn, at: clock(turn) }, watch);
    if (outcome.changed) points.push(...Object.keys(pointsOfPush));
    turns.push({ turn, snapshot, points, wanted: await left(folder, outcome) });
    snapshot = folder;
  }
  expect(model.questions).toHaveLength(turnsOfStep);
  expect(turns.at(-1)?.wanted).toMatchObject({
    outcome: { verdict: { outcome: 'done' } },
    costs: { turns: turnsOfStep },
  });
  expect(JSON.stringify(turns.at(-1)?.wanted.transcript)).not.toContain('error-text');
  return turns;
}

async function die(turns: DyingTurn[]): Promise<void> {
  const text = JSON.stringify(turns);
  const worker = spawn(process.execPath, [join(import.meta.dirname, 'turn-process.ts'), text], { stdio: 'inherit' });
  onTestFinished(() => void worker.kill('SIGKILL'));
  expect(await once(worker, 'exit')).toEqual([null, 'SIGKILL']);
}

/** Another worker takes the turn up, as often as it is asked to. */
async function takeUp({ point, ...dead }: DyingTurn): Promise<TurnOutcome> {
  const hook = pointsOfPush[point];
  // The git of the dead worker still pushes when the other one does.
  const released = hook
    ? untilHeld(dead.folder, hook, point === 'in a push' ? 2 : 1).then(
        async () => await rm(join(dead.folder, `hold-${hook}`), { force: true }),
      )
    : undefined;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const outcome = await takeOneTurn({ ...dead, at: clock(dead.turn, attempt) });
      await released;
      return outcome;
    } catch (error) {
      if (attempt === 5) throw error;
      await pause(100);
    }
  }
}

function commandsIn(folder: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(endless(folder));
    } catch {
      return false;
    }
  });
}

/** Kills one worker at all points of a turn, each in a world of its own, and has another take each of them up. */
async function dieAtEach({ turn, points, snapshot, wanted }: TurnOfStep): Promise<void> {
  const worlds = points.map(async (point, number) => {
    const folder = await copied(snapshot, `${snapshot}-${number}`);
    const model = await aModel();
    return { model, dying: { folder, turn, point, at: clock(turn), modelUrl: model.url } };
  });
  const trials = await Promise.all(worlds);
  await die(trials.map(({ dying }) => dying));
  const takenUp = trials.map(async ({ model, dying }, number) => {
    const { folder, point } = dying;
    await expect.poll(() => commandsIn(`${folder}/`), { timeout: 10_000 }).toEqual([]);
    if ((turn + number) % 3 === 0) await rm(join(folder, 'checkouts'), { recursive: true, force: true });
    const outcome = await takeUp(dying);
    const what = `turn ${turn}, ${point}`;
    expect(await left(folder, outcome), what).toEqual(wanted);
    // What was answered, and nobody had kept when the process died, is asked again: nobody else knew.
    expect(model.questions.length, what).toBe(point === 'answered' ? 2 : 1);
    await model.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  await Promise.all(takenUp);
}

/** One world whose worker dies in every third turn, now and then with its disk. */
async function dieNowAndThen(turns: TurnOfStep[], folder: string): Promise<void> {
  const model = await aModel();
  let lost = 0;
  for (const { turn, points, wanted } of turns) {
    const point = turn % 3 === 0 ? (points[turn % points.length] ?? '') : 'none';
    const dying = { folder, turn, point, at: clock(turn), modelUrl: model.url };
    if (point !== 'none') await die([dying]);
    if (turn % 9 === 0) await rm(join(folder, 'checkouts'), { recursive: true, force: true });
    lost += point === 'answered' ? 1 : 0;
    expect(await left(folder, await takeUp(dying)), `turn ${turn}, ${point}, after other deaths`).toEqual(wanted);
  }
  expect(model.questions).toHaveLength(turnsOfStep + lost);
}

it(
  'leaves the branch, transcript and cost of a step of thirty turns as they would be, wherever its worker is killed',
  { timeout: 900_000 },
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'killed-'));
    onTestFinished(async () => await rm(root, { recursive: true, force: true, maxRetries: 5 }));
    const turns = await undisturbed(root);
    const rough = await copied(turns[0]?.snapshot ?? '', join(root, 'rough'));
    const waiting = turns.values();
    const lane = async (): Promise<void> => {
      for (const turn of waiting) await dieAtEach(turn);
    };
    await Promise.all([lane(), lane(), dieNowAndThen(turns, rough)]);
  },
);
