// What the turns of agents cost beyond the model and the tools: history, whatever is said in them, and CPU with 50 runs
// at once, beside a bare Temporal workflow of as many empty activities. The times of other processes are Linux's.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { temporalCli } from '../../src/main/tools/temporal-cli.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { startAgentRuns } from './agent-runs.ts';
import { startBare } from './contenders.ts';
import type { Conversation } from './conversation.ts';
import { type Cpu, cpuSoFar } from './cpu.ts';
import { type Row, table } from './table.ts';

const turns = 20;
const small: Conversation = { turns, kilobytes: 1, writes: false };
const big: Conversation = { turns, kilobytes: 100, writes: false };
const writing: Conversation = { turns, kilobytes: 1, writes: true };
const rounds = 3;
const runsAtOnce = 50;
/** Git takes most of these: fewer say as much. */
const writingAtOnce = 5;
const warmUpRuns = 10;

const { values: options } = parseArgs({ options: { json: { type: 'boolean' } } });
const startedAt = performance.now();
const say = (message: string): void =>
  void process.stderr.write(
    `${String(Math.round((performance.now() - startedAt) / 1000)).padStart(4)} s  ${message}\n`,
  );
// A busy machine is slow, which is what is measured: the library would warn of it hundreds of times.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const tool = await temporalCli({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress: say });
if ('missing' in tool) throw new Error(tool.missing);
const temporalDir = join(dataDir, 'temporal');
const server = await startTemporalServer({
  executable: tool.path,
  settings: await readTemporalSettings(),
  logFile: join(dataDir, 'temporal.log'),
  dataDir: temporalDir,
  port: 0,
});
const { pid } = JSON.parse(await readFile(join(temporalDir, 'temporal.pid'), 'utf8')) as { pid: number };
const ours = await startAgentRuns({ address: server.address, dataDir, conversations: [small, big, writing] });
const bare = await startBare(server.address, 'bareTurns');
try {
  say(
    `The machine's load is ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}. Warming up…`,
  );
  await ours.converse(small, warmUpRuns);
  await ours.takeTurns(small, warmUpRuns);
  await bareRuns(warmUpRuns);
  const rows = [...(await histories()), ...(await costs())];
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : table(rows));
} finally {
  await ours.close();
  await bare.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Everything in a run's history, shared out among its turns. */
async function histories(): Promise<Row[]> {
  const reference = (await bareHistory()) / turns;
  const rows: Row[] = [];
  for (const conversation of [small, big, writing]) {
    const { kilobytes, writes } = conversation;
    const what = `history a turn, ${kilobytes} kB said in each${writes ? ', each with a commit' : ''}`;
    say(`${what}…`);
    const [bytes = Number.NaN] = await ours.converse(conversation, 1);
    rows.push({ what: `${what} (wanted: under 2000)`, ours: bytes / turns, reference, unit: 'B' });
  }
  return rows;
}

async function bareHistory(): Promise<number> {
  const connection = await Connection.connect({ address: server.address });
  try {
    const { workflow } = new Client({ connection });
    for await (const { historySize = Number.NaN } of workflow.list({ query: "WorkflowType = 'bareTurns'" }))
      return historySize;
    return Number.NaN;
  } finally {
    await connection.close();
  }
}

async function bareRuns(runs: number): Promise<void> {
  await Promise.all(Array.from({ length: runs }, async () => await bare.run(turns)));
}

/** The three in turn, so that what changes slowly on the machine meets all of them alike. */
async function costs(): Promise<Row[]> {
  const seen = { ours: [] as Cost[], own: [] as Cost[], bare: [] as Cost[] };
  for (let round = 1; round <= rounds; round += 1) {
    say(`${runsAtOnce} runs of ${turns} turns at once, round ${round} of ${rounds}…`);
    seen.ours.push(await costOf(runsAtOnce, async () => await ours.converse(small, runsAtOnce)));
    seen.own.push(await costOf(runsAtOnce, async () => await ours.takeTurns(small, runsAtOnce)));
    seen.bare.push(await costOf(runsAtOnce, async () => await bareRuns(runsAtOnce)));
  }
  say(`${writingAtOnce} runs of ${turns} turns at once, each turn with a commit…`);
  const writes = await costOf(writingAtOnce, async () => await ours.converse(writing, writingAtOnce));
  const ownWrites = await costOf(writingAtOnce, async () => await ours.takeTurns(writing, writingAtOnce));
  const [all, own, reference] = [medianOf(seen.ours), medianOf(seen.own), medianOf(seen.bare)];
  return [
    ...costRows(`${runsAtOnce} runs of ${turns} turns at once`, { all, own }, reference),
    ...costRows(`${writingAtOnce} of them, each turn with a commit`, { all: writes, own: ownWrites }),
  ];
}

function costRows(which: string, { all, own }: { all: Cost; own: Cost }, bareCost?: Cost): Row[] {
  const row = (what: string, value: number, reference?: number): Row => ({
    what: `${which}: ${what}`,
    ours: value,
    unit: 'ms',
    ...(reference === undefined ? {} : { reference }),
  });
  return [
    row('CPU a turn', all.cpuMs, bareCost?.cpuMs),
    row('of it the worker', all.process, bareCost?.process),
    row('of it the server', all.server, bareCost?.server),
    row('of it git', all.programs),
    row('CPU of the turn alone, with no workflow', own.cpuMs),
    row('CPU that orchestration adds (wanted: under 50)', all.cpuMs - own.cpuMs, bareCost?.cpuMs),
    row('time a turn', all.elapsedMs, bareCost?.elapsedMs),
  ];
}

/** Milliseconds for each turn. */
type Cost = Cpu & { cpuMs: number; elapsedMs: number };

async function costOf(runs: number, work: () => Promise<unknown>): Promise<Cost> {
  const beganAt = performance.now();
  const before = await cpuSoFar(pid);
  await work();
  const after = await cpuSoFar(pid);
  const each = (ms: number): number => ms / (runs * turns);
  const cpu = {
    process: each(after.process - before.process),
    programs: each(after.programs - before.programs),
    server: each(after.server - before.server),
  };
  return { ...cpu, cpuMs: cpu.process + cpu.programs + cpu.server, elapsedMs: each(performance.now() - beganAt) };
}

/** The round whose CPU is in the middle, as it was: its parts add up. */
function medianOf(costsSeen: Cost[]): Cost {
  const sorted = costsSeen.toSorted((one, other) => one.cpuMs - other.cpuMs);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  return middle;
}
