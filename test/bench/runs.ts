// Measures the start of a run, the time of empty steps and the throughput of runs. The baseline is a plain Temporal
// workflow with the same steps on the same server.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startTemporal } from '../support/servers/start-temporal.ts';
import { type BenchTarget, type ServiceTarget, type RunTiming, startBaseline, startService } from './bench-targets.ts';
import { type Row, formatTable } from './table.ts';

const rounds = 3;
const runsPerRound = 10;
const warmUpRuns = 8;
const concurrentRuns = 32;
const secondsPerRound = 3;

const { values: options } = parseArgs({ options: { json: { type: 'boolean' } } });
const logProgress = (message: string) => void process.stderr.write(`${message}\n`);
Runtime.install({ logger: new DefaultLogger('ERROR') });

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const server = await startTemporal({ folder: dataDir, onProgress: logProgress, isDurable: true });
const service = await startService(server.address, dataDir);
const baseline = await startBaseline(server.address);
try {
  const rows = [...(await measureLatencies(service, baseline)), ...(await measureThroughput(service, baseline))];
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : formatTable(rows));
} finally {
  await service.close();
  await baseline.close();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

/** Measures one run at a time. */
async function measureLatencies(ours: ServiceTarget, reference: BenchTarget): Promise<Row[]> {
  const runs = {
    baseline3: async () => await reference.run(3),
    api3: async () => await ours.run(3),
    delivery3: async () => await ours.runFromDelivery(3),
    baseline10: async () => await reference.run(10),
    api10: async () => await ours.run(10),
  };
  logProgress('Warming up…');
  for (const run of Object.values(runs)) await repeat(run, warmUpRuns);
  const timings: Record<keyof typeof runs, RunTiming[]> = {
    baseline3: [],
    api3: [],
    delivery3: [],
    baseline10: [],
    api10: [],
  };
  const names = Object.keys(runs) as (keyof typeof runs)[];
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`One run at a time, round ${round} of ${rounds}…`);
    // The order alternates, so that slow changes of the machine affect all of them equally.
    for (const name of [...names, ...names.toReversed()])
      timings[name].push(...(await repeat(runs[name], runsPerRound / 2)));
  }
  const first = (runTimings: RunTiming[], part: number) =>
    quantile(
      runTimings.map(({ firstMs }) => firstMs),
      part,
    );
  const total = (runTimings: RunTiming[]) =>
    quantile(
      runTimings.map(({ totalMs }) => totalMs),
      0.5,
    );
  const { baseline3, api3, delivery3, baseline10, api10 } = timings;
  const row = (what: string, value: number, baselineValue: number): Row => ({
    what,
    service: value,
    baseline: baselineValue,
    unit: 'ms',
  });
  return [
    row('start of a run to its first turn, p50', first(api3, 0.5), first(baseline3, 0.5)),
    row('start of a run to its first turn, p99', first(api3, 0.99), first(baseline3, 0.99)),
    row('delivery to the first turn, p50', first(delivery3, 0.5), first(baseline3, 0.5)),
    row('delivery to the first turn, p99', first(delivery3, 0.99), first(baseline3, 0.99)),
    row('run of 3 empty steps, p50', total(api3), total(baseline3)),
    row('run of 10 empty steps, p50', total(api10), total(baseline10)),
  ];
}

/** Measures the throughput with as many concurrent runs as a busy org may have. */
async function measureThroughput(ours: BenchTarget, reference: BenchTarget): Promise<Row[]> {
  const rates = { ours: [] as number[], reference: [] as number[] };
  for (let round = 1; round <= rounds; round += 1) {
    logProgress(`${concurrentRuns} runs at once, round ${round} of ${rounds}…`);
    rates.reference.push(await measureRunsPerSecond(reference));
    rates.ours.push(await measureRunsPerSecond(ours));
  }
  const what = `runs of 3 steps a second, ${concurrentRuns} at once`;
  return [{ what, service: quantile(rates.ours, 0.5), baseline: quantile(rates.reference, 0.5), unit: '/s' }];
}

async function measureRunsPerSecond({ run }: BenchTarget): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + secondsPerRound * 1_000;
  let done = 0;
  const keepRunning = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      await run(3);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrentRuns }, keepRunning));
  return done / ((performance.now() - startedAt) / 1_000);
}

async function repeat(run: () => Promise<RunTiming>, times: number): Promise<RunTiming[]> {
  const results: RunTiming[] = [];
  for (let time = 0; time < times; time += 1) results.push(await run());
  return results;
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
