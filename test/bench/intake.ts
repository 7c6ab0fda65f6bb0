// Measures webhook deliveries with one org and with a thousand, during a flood of invalid signatures, and in a burst
// while no worker runs. The baseline is Probot with the same payloads; it has one secret and stores nothing.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { startTemporal } from '../support/servers/start-temporal.ts';
import {
  type ServiceProcess,
  seedOrgs,
  openIntakeStore,
  toOrgName,
  listRuns,
  toWebhookSecret,
  startApiProcess,
  startServiceProcess,
} from '../support/platform/intake-harness.ts';
import {
  type RequestResult,
  sendAtRate,
  closeConnectionPools,
  sendDelivery,
  sendForgedDelivery,
  quantile,
} from './intake-load.ts';

const orgs = 1000;
const rounds = 3;
const requestsPerRound = 100;
const floodSettings = { validPerSecond: 20, invalidPerSecond: 500, seconds: 10 };
const firstBurstNumber = 200_000;

type Row = { what: string; service: string; goal?: string; probot?: string };

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, deliveries: { type: 'string', default: '1000' } },
});
const burstSettings = { deliveries: Number(options.deliveries), perSecond: 50 };
const isTerminal = process.stderr.isTTY;
const logProgress = (message: string) => void process.stderr.write(isTerminal ? `\r\x1b[K${message}` : `${message}\n`);
const formatMs = (value: number): string => `${value.toFixed(1)} ms`;

const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
const server = await startTemporal({ folder: dataDir, onProgress: logProgress, isDurable: true });
const processes: ServiceProcess[] = [];
try {
  const [one, many, probot] = [await startService(1), await startService(orgs), await startProbot()];
  const load = loadavg()[0]?.toFixed(1);
  const rows = [
    ...(await measureCosts(one, many, probot)),
    ...(await measureFlood(many, probot)),
    ...(await measureBurst(many)),
  ];
  logProgress('');
  process.stdout.write(
    options.json ? `${JSON.stringify({ load, rows })}\n` : `load at the start: ${load}\n${formatTable(rows)}`,
  );
} finally {
  await Promise.all(processes.map(async (part) => await part.kill()));
  await closeConnectionPools();
  await server.close();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

type ServiceTarget = { url: string; folder: string };

async function startService(count: number): Promise<ServiceTarget> {
  logProgress(`Creating ${count} orgs…`);
  const folder = join(dataDir, `orgs-${count}`);
  await mkdir(folder, { recursive: true });
  const store = openIntakeStore(folder);
  await seedOrgs(store, count);
  await store.close();
  const api = await startApiProcess(folder, server.address);
  processes.push(api);
  return { url: api.url, folder };
}

async function startProbot(): Promise<string> {
  const port = await reservePort();
  const program = fileURLToPath(new URL('probot-process.ts', import.meta.url));
  processes.push(await startServiceProcess(program, [toWebhookSecret(toOrgName(0)), String(port)]));
  return `http://127.0.0.1:${port}/api/v1/webhooks/codehost`;
}

/** Alternates the targets, so that slow changes of the machine affect all of them equally. */
async function measureCosts(one: ServiceTarget, many: ServiceTarget, probot: string): Promise<Row[]> {
  let number = 0;
  const targets = {
    one: async () => await sendDelivery({ url: one.url, org: toOrgName(0), number: (number += 1) }),
    many: async () => await sendDelivery({ url: many.url, org: toOrgName((number += 1) % orgs), number }),
    probot: async () => await sendDelivery({ url: probot, org: toOrgName(0), number: (number += 1) }),
  };
  const names = Object.keys(targets) as (keyof typeof targets)[];
  const results: Record<keyof typeof targets, RequestResult[]> = { one: [], many: [], probot: [] };
  for (const name of names) await repeat(targets[name], 30);
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of [...names, ...names.toReversed()]) {
      logProgress(`One delivery at a time, round ${round} of ${rounds}: ${name}…`);
      results[name].push(...(await repeat(targets[name], requestsPerRound / 2)));
    }
  }
  const ratio = quantile(results.many, 0.5) / quantile(results.one, 0.5);
  const row = (what: string, part: number): Row => ({
    what,
    service: `${formatMs(quantile(results.one, part))} with 1 org, ${formatMs(quantile(results.many, part))} with ${orgs}`,
    probot: formatMs(quantile(results.probot, part)),
  });
  return [
    { ...row('a valid delivery, p50', 0.5), goal: `${ratio.toFixed(2)}× (< 2×)` },
    row('a valid delivery, p99', 0.99),
    { what: 'all accepted', service: String([...results.one, ...results.many].every(({ status }) => status === 202)) },
  ];
}

async function repeat(work: () => Promise<RequestResult>, times: number): Promise<RequestResult[]> {
  const sent: RequestResult[] = [];
  for (let time = 0; time < times; time += 1) sent.push(await work());
  return sent;
}

/** Half of the invalid deliveries name no existing org, which takes a search through all secrets. */
async function measureFlood(many: ServiceTarget, probot: string): Promise<Row[]> {
  const { validPerSecond, invalidPerSecond, seconds } = floodSettings;
  let number = 100_000;
  const sendValid = async (url: string, org: () => string): Promise<RequestResult[]> =>
    await sendAtRate(
      validPerSecond,
      validPerSecond * seconds,
      async () => await sendDelivery({ url, org: org(), number: (number += 1) }),
    );
  const sendInvalid = async (url: string): Promise<RequestResult[]> =>
    await sendAtRate(invalidPerSecond, invalidPerSecond * seconds, async (index) => {
      if (index % invalidPerSecond === 0)
        logProgress(`${invalidPerSecond} invalid signatures a second, ${index / invalidPerSecond} of ${seconds} s…`);
      return await sendForgedDelivery(url, index % 2 === 0 ? toOrgName(index % orgs) : 'unknown');
    });
  const anyOrg = (): string => toOrgName(number % orgs);
  const firstOrg = (): string => toOrgName(0);
  logProgress('The same without a flood…');
  const withoutFlood = await sendValid(many.url, anyOrg);
  const [duringFlood, rejected] = await Promise.all([sendValid(many.url, anyOrg), sendInvalid(many.url)]);
  const probotWithoutFlood = await sendValid(probot, firstOrg);
  const [probotDuringFlood] = await Promise.all([sendValid(probot, firstOrg), sendInvalid(probot)]);
  const what = `valid deliveries, p99`;
  return [
    {
      what: `${what}, no flood`,
      service: formatMs(quantile(withoutFlood, 0.99)),
      probot: formatMs(quantile(probotWithoutFlood, 0.99)),
    },
    {
      what: `${what}, ${invalidPerSecond} invalid ones a second`,
      service: formatMs(quantile(duringFlood, 0.99)),
      goal: '(< 50 ms)',
      probot: formatMs(quantile(probotDuringFlood, 0.99)),
    },
    {
      what: 'valid ones accepted, invalid ones rejected',
      service: `${formatShare(duringFlood, 202)}, ${formatShare(rejected, 401)}`,
      goal: '(all)',
    },
  ];
}

function formatShare(sent: RequestResult[], status: number): string {
  return `${sent.filter((one) => one.status === status).length} of ${sent.length}`;
}

type PlannedDelivery = { org: string; number: number; action: string; delivery: string };

/** Plans two events per target, because an issue opened with a label sends both, in either order. Every fourth target gets a redelivery. */
function planBurst(deliveries: number): PlannedDelivery[] {
  const planned: PlannedDelivery[] = [];
  for (let number = firstBurstNumber; planned.length < deliveries; number += 1) {
    const events = ['opened', 'labeled'].map((action) => ({
      org: toOrgName(number % orgs),
      number,
      action,
      delivery: randomUUID(),
    }));
    planned.push(...(number % 2 === 0 ? events : events.toReversed()));
    if (number % 4 === 0) planned.push(...events.slice(0, 1));
  }
  return planned.slice(0, deliveries);
}

async function measureBurst(many: ServiceTarget): Promise<Row[]> {
  const { deliveries, perSecond } = burstSettings;
  const store = openIntakeStore(many.folder);
  const planned = planBurst(deliveries);
  const targets = new Set(planned.map(({ org, number }) => `${org}#${number}`));
  const sent = await sendAtRate(perSecond, deliveries, async (index) => {
    if (index % perSecond === 0) logProgress(`A burst while no worker runs: ${index} of ${deliveries}…`);
    return await sendDelivery({ url: many.url, ...(planned[index] as PlannedDelivery) });
  });
  const startedAt = performance.now();
  processes.push(await startServiceProcess('worker-process.ts', [many.folder, server.address]));
  const started = new Set<string>();
  let duplicates = 0;
  for (const deadline = Date.now() + 600_000; Date.now() < deadline; await pause(500)) {
    const runs = (await listRuns(store)).filter(({ spec }) => (spec.target?.number ?? 0) >= firstBurstNumber);
    started.clear();
    for (const { metadata, spec } of runs) started.add(`${metadata.namespace.slice(4)}#${spec.target?.number}`);
    duplicates = runs.length - started.size;
    logProgress(`The worker is ready: runs for ${started.size} of ${targets.size} targets…`);
    if (started.size >= targets.size && runs.every(({ status }) => status?.phase === 'Succeeded')) break;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await store.close();
  return [
    {
      what: `${deliveries} deliveries at ${perSecond}/s without a worker: accepted`,
      service: formatShare(sent, 202),
      goal: '(all)',
    },
    { what: 'acknowledged, p50', service: formatMs(quantile(sent, 0.5)) },
    { what: 'acknowledged, p99', service: formatMs(quantile(sent, 0.99)), goal: '(< 1000 ms)' },
    {
      what: 'targets with a run; duplicate runs',
      service: `${started.size} of ${targets.size}; ${duplicates}`,
      goal: '(all; 0)',
    },
    { what: 'all runs finished, including earlier ones', service: `${seconds.toFixed(1)} s after the worker started` },
  ];
}

function formatTable(rows: Row[]): string {
  const cells = [
    ['', 'service', 'goal', 'Probot'],
    ...rows.map((row) => [row.what, row.service, row.goal ?? '', row.probot ?? '']),
  ];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0))) ?? [];
  return `${cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}
