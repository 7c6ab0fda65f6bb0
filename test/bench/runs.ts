// How soon a run starts, how long empty steps take and how many runs a second there can be, beside a bare Temporal
// workflow of the same steps on the same server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { temporalCli } from '../../src/main/tools/temporal-cli.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { type Contender, type Ours, type Took, startBare, startOurs } from './contenders.ts';
import { type Row, table } from './table.ts';

const rounds = 3;
const runsPerRound = 10;
const warmUpRuns = 8;
const atOnce = 32;
const secondsPerTurn = 3;

const { values: options } = parseArgs({ options: { json: { type: 'boolean' } } });
const say = (message: string) => void process.stderr.write(`${message}\n`);
Runtime.install({ logger: new DefaultLogger('ERROR') });

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const tool = await temporalCli({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress: say });
if ('missing' in tool) throw new Error(tool.missing);
const server = await startTemporalServer({
  executable: tool.path,
  settings: await readTemporalSettings(),
  logFile: join(dataDir, 'temporal.log'),
  dataDir: join(dataDir, 'temporal'),
  port: 0,
});
const ours = await startOurs(server.address, dataDir);
const bare = await startBare(server.address);
try {
  const rows = [...(await latencies(ours, bare)), ...(await throughputs(ours, bare))];
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : table(rows));
} finally {
  await ours.close();
  await bare.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** One run at a time. */
async function latencies(our: Ours, reference: Contender): Promise<Row[]> {
  const runs = {
    bare3: async () => await reference.run(3),
    api3: async () => await our.run(3),
    delivery3: async () => await our.runByDelivery(3),
    bare10: async () => await reference.run(10),
    api10: async () => await our.run(10),
  };
  say('Warming up…');
  for (const run of Object.values(runs)) await repeat(run, warmUpRuns);
  const seen: Record<keyof typeof runs, Took[]> = { bare3: [], api3: [], delivery3: [], bare10: [], api10: [] };
  const names = Object.keys(runs) as (keyof typeof runs)[];
  for (let round = 1; round <= rounds; round += 1) {
    say(`One run at a time, round ${round} of ${rounds}…`);
    // There and back, so that what changes slowly on the machine meets all of them alike.
    for (const name of [...names, ...names.toReversed()])
      seen[name].push(...(await repeat(runs[name], runsPerRound / 2)));
  }
  const first = (of: Took[], part: number) =>
    quantile(
      of.map(({ firstMs }) => firstMs),
      part,
    );
  const total = (of: Took[]) =>
    quantile(
      of.map(({ totalMs }) => totalMs),
      0.5,
    );
  const { bare3, api3, delivery3, bare10, api10 } = seen;
  const row = (what: string, value: number, to: number): Row => ({ what, ours: value, reference: to, unit: 'ms' });
  return [
    row('start of a run to its first turn, p50', first(api3, 0.5), first(bare3, 0.5)),
    row('start of a run to its first turn, p99', first(api3, 0.99), first(bare3, 0.99)),
    row('delivery to the first turn, p50', first(delivery3, 0.5), first(bare3, 0.5)),
    row('delivery to the first turn, p99', first(delivery3, 0.99), first(bare3, 0.99)),
    row('run of 3 empty steps, p50', total(api3), total(bare3)),
    row('run of 10 empty steps, p50', total(api10), total(bare10)),
  ];
}

/** As many at once as a busy org may have. */
async function throughputs(our: Contender, reference: Contender): Promise<Row[]> {
  const rates = { our: [] as number[], reference: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    say(`${atOnce} runs at once, round ${round} of ${rounds}…`);
    rates.reference.push(await runsPerSecond(reference));
    rates.our.push(await runsPerSecond(our));
  }
  const what = `runs of 3 steps a second, ${atOnce} at once`;
  return [{ what, ours: quantile(rates.our, 0.5), reference: quantile(rates.reference, 0.5), unit: '/s' }];
}

async function runsPerSecond({ run }: Contender): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + secondsPerTurn * 1_000;
  let done = 0;
  const keepRunning = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await run(3);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: atOnce }, keepRunning));
  return done / ((performance.now() - startedAt) / 1_000);
}

async function repeat(run: () => Promise<Took>, times: number): Promise<Took[]> {
  const seen: Took[] = [];
  for (let time = 0; time < times; time += 1) seen.push(await run());
  return seen;
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
