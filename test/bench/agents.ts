// Measures the cost of agent turns beyond the model and the tools: history size and CPU with 50 concurrent runs. The
// baseline is a Temporal workflow with as many empty activities. CPU times of other processes come from Linux's /proc.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { startTemporal } from '../support/servers/start-temporal.ts';
import { startAgentRuns } from './agent-runs.ts';
import { startBaseline } from './bench-targets.ts';
import type { Conversation } from './conversation.ts';
import { type CpuTimes, readCpuTimes } from './cpu.ts';
import { type Row, formatTable } from './table.ts';

const turns = 20;
const smallConversation: Conversation = { turns, kilobytesPerTurn: 1, commits: false };
const bigConversation: Conversation = { turns, kilobytesPerTurn: 100, commits: false };
const writingConversation: Conversation = { turns, kilobytesPerTurn: 1, commits: true };
const rounds = 3;
const concurrentRuns = 50;
/** Git takes most of their time, so a few runs are enough. */
const concurrentWritingRuns = 5;
const warmUpRuns = 10;

const { values: options } = parseArgs({ options: { json: { type: 'boolean' } } });
const startedAt = performance.now();
const logProgress = (message: string): void =>
  void process.stderr.write(
    `${String(Math.round((performance.now() - startedAt) / 1000)).padStart(4)} s  ${message}\n`,
  );
// The SDK would log hundreds of warnings about the busy machine that this bench creates.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const server = await startTemporal({ folder: dataDir, onProgress: logProgress, isDurable: true });
const { pid } = JSON.parse(await readFile(join(dataDir, 'temporal', 'temporal.pid'), 'utf8')) as { pid: number };
const service = await startAgentRuns({
  address: server.address,
  dataDir,
  conversations: [smallConversation, bigConversation, writingConversation],
});
const baseline = await startBaseline(server.address, 'baselineTurns');
try {
  logProgress(
    `The machine's load is ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}. Warming up…`,
  );
  await service.runConversations(smallConversation, warmUpRuns);
  await service.runTurnsDirectly(smallConversation, warmUpRuns);
  await runBaseline(warmUpRuns);
  const rows = [...(await measureHistories()), ...(await measureCosts())];
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : formatTable(rows));
} finally {
  await service.close();
  await baseline.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Divides the size of a run's history by its turns. */
async function measureHistories(): Promise<Row[]> {
  const reference = (await readBaselineHistoryBytes()) / turns;
  const rows: Row[] = [];
  for (const conversation of [smallConversation, bigConversation, writingConversation]) {
    const { kilobytesPerTurn, commits } = conversation;
    const what = `history a turn, ${kilobytesPerTurn} kB of text in each${commits ? ', each with a commit' : ''}`;
    logProgress(`${what}…`);
    const [bytes = Number.NaN] = await service.runConversations(conversation, 1);
    rows.push({ what: `${what} (goal: under 2000)`, service: bytes / turns, baseline: reference, unit: 'B' });
  }
  return rows;
}

async function readBaselineHistoryBytes(): Promise<number> {
  const connection = await Connection.connect({ address: server.address });
  try {
    const { workflow } = new Client({ connection });
    for await (const { historySize = Number.NaN } of workflow.list({ query: "WorkflowType = 'baselineTurns'" }))
      return historySize;
    return Number.NaN;
  } finally {
    await connection.close();
  }
}

async function runBaseline(runs: number): Promise<void> {
  await Promise.all(Array.from({ length: runs }, async () => await baseline.run(turns)));
}

/** Alternates the three measurements, so that slow changes of the machine affect all of them equally. */
async function measureCosts(): Promise<Row[]> {
  const costs = { service: [] as Cost[], turnsOnly: [] as Cost[], baseline: [] as Cost[] };
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`${concurrentRuns} runs of ${turns} turns at once, round ${round} of ${rounds}…`);
    costs.service.push(
      await measureCost(concurrentRuns, async () => await service.runConversations(smallConversation, concurrentRuns)),
    );
    costs.turnsOnly.push(
      await measureCost(concurrentRuns, async () => await service.runTurnsDirectly(smallConversation, concurrentRuns)),
    );
    costs.baseline.push(await measureCost(concurrentRuns, async () => await runBaseline(concurrentRuns)));
  }
  logProgress(`${concurrentWritingRuns} runs of ${turns} turns at once, each turn with a commit…`);
  const writes = await measureCost(
    concurrentWritingRuns,
    async () => await service.runConversations(writingConversation, concurrentWritingRuns),
  );
  const turnsOnlyWrites = await measureCost(
    concurrentWritingRuns,
    async () => await service.runTurnsDirectly(writingConversation, concurrentWritingRuns),
  );
  const [all, turnsOnly, reference] = [
    medianCost(costs.service),
    medianCost(costs.turnsOnly),
    medianCost(costs.baseline),
  ];
  return [
    ...toCostRows(`${concurrentRuns} runs of ${turns} turns at once`, { all, turnsOnly }, reference),
    ...toCostRows(`${concurrentWritingRuns} of them, each turn with a commit`, {
      all: writes,
      turnsOnly: turnsOnlyWrites,
    }),
  ];
}

function toCostRows(label: string, { all, turnsOnly }: { all: Cost; turnsOnly: Cost }, baselineCost?: Cost): Row[] {
  const row = (what: string, value: number, reference?: number): Row => ({
    what: `${label}: ${what}`,
    service: value,
    unit: 'ms',
    ...(reference === undefined ? {} : { baseline: reference }),
  });
  return [
    row('CPU a turn', all.cpuMs, baselineCost?.cpuMs),
    row('the worker’s share', all.process, baselineCost?.process),
    row('the server’s share', all.server, baselineCost?.server),
    row('git’s share', all.programs),
    row('CPU of the turn alone, without a workflow', turnsOnly.cpuMs),
    row('CPU that orchestration adds (goal: under 50)', all.cpuMs - turnsOnly.cpuMs, baselineCost?.cpuMs),
    row('time a turn', all.elapsedMs, baselineCost?.elapsedMs),
  ];
}

/** Milliseconds per turn. */
type Cost = CpuTimes & { cpuMs: number; elapsedMs: number };

async function measureCost(runs: number, work: () => Promise<unknown>): Promise<Cost> {
  const startedAt = performance.now();
  const before = await readCpuTimes(pid);
  await work();
  const after = await readCpuTimes(pid);
  const perTurn = (ms: number): number => ms / (runs * turns);
  const cpu = {
    process: perTurn(after.process - before.process),
    programs: perTurn(after.programs - before.programs),
    server: perTurn(after.server - before.server),
  };
  return { ...cpu, cpuMs: cpu.process + cpu.programs + cpu.server, elapsedMs: perTurn(performance.now() - startedAt) };
}

/** Returns the round with the median CPU unchanged, so that its parts still add up. */
function medianCost(rounds: Cost[]): Cost {
  const sorted = rounds.toSorted((one, other) => one.cpuMs - other.cpuMs);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('Nothing was measured.');
  return middle;
}
