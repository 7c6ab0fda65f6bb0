// Measures the cost of checking ten thousand domains that wait for their records, 1 % of them at servers that never
// respond. The baseline is a loop over Node's own resolver with the same queries.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, makeTelemetryFilterString } from '@temporalio/worker';
import { type ActivityDeps, createActivities } from '../../activities/index.ts';
import { sweepRound } from '../../activities/domains/sweep-shard.ts';
import { isCloudflareAddress } from '../../src/integrations/dns/is-cloudflare-address.ts';
import { createDns } from '../../src/integrations/dns/create-dns.ts';
import { notifyDomainWorkflow } from '../../src/main/worker/notify-domain-workflow.ts';
import { buildWorkflowBundle } from '../../src/main/worker/build-workflow-bundle.ts';
import { createTaskWorkers } from '../../src/main/worker/create-task-workers.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import { DomainKind, type DomainSettings, sweepShardLabel } from '../../src/rules/domains/kinds.ts';
import { domainsPerShard, sweepConfigMapName } from '../../src/rules/domains/sweep-buckets.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { startTemporal } from '../support/servers/start-temporal.ts';
import { checkDomainUpdate, sweepDnsId, verifyDomainId } from '../../workflows/domains/messages.ts';
import { getFreeUdpPort, startKnot } from '../support/servers/dns-servers.ts';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean' },
    domains: { type: 'string', default: '10000' },
    minutes: { type: 'string', default: '3' },
  },
});
const count = Number(options.domains);
const minutes = Number(options.minutes);
const timeoutMs = 1_500;
const newRecords = 20;
const checks = 30;
const shards = Math.ceil(count / domainsPerShard);
const namespace = 'org-acme';
const logProgress = (message: string) => void process.stderr.write(`${message}\n`);
const now = (): Date => new Date();
// The SDK would log warnings about the busy machine that this bench creates.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const isUnresponsive = (index: number): boolean => index % 100 === 99;
const toDomainName = (index: number): string => (isUnresponsive(index) ? `d${index}.dead.test` : `d${index}.test`);
const toToken = (index: number): string => `t${index}`;

const folder = await mkdtemp(join(tmpdir(), 'bench-domains-'));
const port = await getFreeUdpPort('127.0.0.1');
const unresponsiveRecords = Array.from(
  { length: count / 100 },
  (_, index) => `d${index * 100 + 99}.dead NS ns.dead\n`,
).join('');
const knot = await startKnot({
  port,
  zones: [{ name: 'test.', records: `ns.dead A 127.0.0.4\n${unresponsiveRecords}` }],
});
const server = await startTemporal({ folder, onProgress: logProgress, isDurable: true });
const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
const connection = await NativeConnection.connect({ address: server.address });
const temporal = new Client({ connection });
const allowedInside = [{ range: '127.0.0.0/8' }];
const dns = createDns({ resolvers: [`127.0.0.1:${port}`], port, timeoutMs, allowedInside, now });
const domains: DomainSettings = {
  platformDomain: undefined,
  ownHosts: [],
  managedBaseDomains: [],
  ingress: { host: undefined, addresses: ['192.0.2.1'] },
  certificateAuthorities: ['letsencrypt.org'],
  platformOrg: undefined,
};
const deps = {
  store,
  dns,
  domains,
  isProxied: isCloudflareAddress,
  allowedInside,
  notifyDomainWorkflow: notifyDomainWorkflow(temporal),
  applyDomainState: async () => {},
  now,
};
const workers = await createTaskWorkers(
  { connection, shutdownGraceTime: 0 },
  {
    queues: ['workflows', 'activities'],
    workflowBundle: await buildWorkflowBundle(() => {}),
    activities: createActivities(deps as unknown as ActivityDeps),
  },
);
const running = Promise.all(workers.map(async (worker) => await worker.run()));
const readStoreVersion = async (): Promise<number> =>
  Number((await store.list(ConfigMapKind, { limit: 1 })).resourceVersion);

const quantile = (values: number[], part: number): number =>
  values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(part * values.length))] ??
  Number.NaN;
const formatSeconds = (value: number): string => `${(value / 1_000).toFixed(2)} s`;
const formatMs = (value: number): string => `${value.toFixed(1)} ms`;
const formatPercent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const formatRate = (queries: number, wallMs: number): string => ((queries * 1_000) / wallMs).toFixed(0);

const formatRatio = (service: string, reference: string): string =>
  reference === '' ? '' : `${(Number.parseFloat(service) / Number.parseFloat(reference)).toFixed(2)}×`;

try {
  const rows = await measure();
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : formatTable(rows));
} finally {
  for (const worker of workers) worker.shutdown();
  await running;
  await dns.close();
  await connection.close();
  await store.close();
  await server.close();
  await knot.stop();
  await rm(folder, { recursive: true, force: true });
}

type Row = { what: string; service: string; baseline?: string; goal?: string };

async function measure(): Promise<Row[]> {
  logProgress(`Claiming ${count} domains…`);
  await seedDomains();
  const rounds = await measureRounds();
  await startLoops();
  const steady = await measureSteadyState();
  logProgress(`  ${JSON.stringify(steady)}`);
  const detectedMs = await measureNewRecords();
  logProgress(`  detected after ${detectedMs.map(formatSeconds).join(', ')}`);
  const checkMs = await measureChecks();
  const baseline = await measureBaseline();
  return [
    {
      what: `a round of ${rounds.queries} queries at once`,
      service: formatSeconds(rounds.wallMs),
      baseline: formatSeconds(baseline.wallMs),
      goal: 'seconds',
    },
    {
      what: '  queries a second',
      service: formatRate(rounds.queries, rounds.wallMs),
      baseline: formatRate(baseline.queries, baseline.wallMs),
    },
    { what: '  CPU of the round', service: formatSeconds(rounds.cpuMs), baseline: formatSeconds(baseline.cpuMs) },
    { what: 'steady: CPU of the worker', service: formatPercent(steady.workerCpu), goal: '< 10 % of two cores' },
    { what: 'steady: CPU of the Temporal server', service: formatPercent(steady.serverCpu) },
    { what: 'steady: queries a minute', service: steady.queriesPerMinute.toFixed(0) },
    { what: 'steady: slowest round of a shard', service: formatSeconds(steady.slowestMs) },
    { what: 'steady: events written to histories a minute', service: steady.eventsPerMinute.toFixed(1), goal: '≤ 10' },
    { what: 'steady: writes to the store a minute', service: steady.writesPerMinute.toFixed(1) },
    {
      what: `new record detected, slowest of ${newRecords}`,
      service: formatSeconds(Math.max(...detectedMs)),
      goal: '≤ 61 s',
    },
    {
      what: `check finished, p50 of ${checks}`,
      service: formatMs(quantile(checkMs.service, 0.5)),
      baseline: formatMs(quantile(checkMs.baseline, 0.5)),
      goal: 'baseline + 50 ms',
    },
    {
      what: `check finished, p95 of ${checks}`,
      service: formatMs(quantile(checkMs.service, 0.95)),
      baseline: formatMs(quantile(checkMs.baseline, 0.95)),
      goal: 'baseline + 50 ms',
    },
  ];
}

async function seedDomains(): Promise<void> {
  const claimedAt = now().toISOString();
  for (let index = 0; index < count; index += 1) {
    const metadata = {
      namespace,
      name: toDomainName(index),
      labels: { [sweepShardLabel]: String(Math.floor(index / domainsPerShard)) },
    };
    const spec = { name: toDomainName(index), kind: 'external' as const, shared: false, token: toToken(index) };
    await store.create(DomainKind, { metadata, spec });
    await store.updateStatus(DomainKind, metadata, () => ({ state: 'WaitingForDns' as const, claimedAt }));
  }
}

/** Measures a round of all shards at once without Temporal, after a first round that finds the name servers. */
async function measureRounds() {
  const sweepDeps = { ...deps, notifyDomainWorkflow: async () => {} };
  const runRound = async () =>
    await Promise.all(
      Array.from({ length: shards }, async (_, shard) => await sweepRound(sweepDeps, shard, { after: 0, upTo: 1 })),
    );
  logProgress('The first round, without cached name servers…');
  await runRound();
  const measurements = [];
  for (let time = 1; time <= 3; time += 1) {
    logProgress(`A round of all at once, ${time} of 3…`);
    measurements.push(await measureTime(runRound));
    logProgress(
      `  ${formatSeconds(measurements.at(-1)?.wallMs ?? 0)}, ${formatSeconds(measurements.at(-1)?.cpuMs ?? 0)} of CPU`,
    );
  }
  return measurements.toSorted((left, right) => left.wallMs - right.wallMs)[1] ?? { wallMs: 0, cpuMs: 0, queries: 0 };
}

async function startLoops(): Promise<void> {
  logProgress(`Starting ${count} loops, which start ${shards} sweeps…`);
  const notify = notifyDomainWorkflow(temporal);
  const queue = Array.from({ length: count }, (_, index) => index).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const index of queue) {
      await notify({ org: 'acme', domain: toDomainName(index) });
      if ((done += 1) % 1_000 === 0) logProgress(`  ${done} of ${count}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  // The histories stop growing once every domain had its first round.
  for (let before = -1, after = 0; before !== after;) {
    logProgress(`Settling, ${Math.round(after)} events so far…`);
    await pause(40_000);
    [before, after] = [after, await countHistoryEvents()];
  }
}

async function measureSteadyState() {
  const before = {
    events: await countHistoryEvents(),
    rv: await readStoreVersion(),
    queries: await countDatagrams(),
    cpu: process.cpuUsage(),
    server: await readServerCpuMs(),
  };
  const startedAt = performance.now();
  const watchAbort = new AbortController();
  const rounds = watchRounds(watchAbort.signal);
  for (let minute = 1; minute <= minutes; minute += 1) {
    logProgress(`A steady minute, ${minute} of ${minutes}…`);
    await pause(60_000);
  }
  const durationMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before.cpu);
  const serverMs = (await readServerCpuMs()) - before.server;
  watchAbort.abort();
  const perMinute = (value: number): number => (value * 60_000) / durationMs;
  return {
    workerCpu: (user + system) / 1_000 / durationMs / 2,
    serverCpu: serverMs / durationMs / 2,
    queriesPerMinute: perMinute((await countDatagrams()) - before.queries),
    eventsPerMinute: perMinute((await countHistoryEvents()) - before.events),
    writesPerMinute: perMinute((await readStoreVersion()) - before.rv),
    slowestMs: Math.max(0, ...(await rounds)),
  };
}

/** Measures the time from the start of each shard's round until its result is stored. */
async function watchRounds(signal: AbortSignal): Promise<number[]> {
  const durationsMs: number[] = [];
  try {
    for await (const { object } of store.watch(ConfigMapKind, { namespace: systemNamespace, signal }))
      if (object.metadata.name.startsWith(sweepConfigMapName(0).slice(0, -1)))
        durationsMs.push(Date.now() - Date.parse(object.data?.['pending'] ?? ''));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return durationsMs;
}

/** Adds records over a minute and measures the time until each domain is verified. */
async function measureNewRecords(): Promise<number[]> {
  logProgress(`Adding ${newRecords} records over a minute…`);
  const measureRecord = async (nth: number): Promise<number> => {
    const index = nth * Math.floor(count / newRecords);
    await pause((nth * 60_000) / newRecords);
    await knot.update('test.', `add _service.${toDomainName(index)}. 60 TXT "service-verify=${toToken(index)}"`);
    const addedAt = performance.now();
    for (;;) {
      const { status } = await store.get(DomainKind, { namespace, name: toDomainName(index) });
      if (status?.state === 'Verified') return performance.now() - addedAt;
      await pause(20);
    }
  };
  return await Promise.all(Array.from({ length: newRecords }, async (_, nth) => await measureRecord(nth)));
}

/** Measures the update, and the same queries without it, one domain at a time. */
async function measureChecks(): Promise<{ service: number[]; baseline: number[] }> {
  logProgress(`Checking ${checks} domains with an update…`);
  const service: number[] = [];
  const baseline: number[] = [];
  for (let nth = 1; nth <= checks + 3; nth += 1) {
    const domain = toDomainName(nth * Math.floor(count / 50));
    const queriesStartedAt = performance.now();
    const lookup = { allServers: true };
    await Promise.all([
      dns.lookupTxt(`_service.${domain}`, lookup),
      dns.lookupAddresses(domain, lookup),
      dns.lookupCaa(domain, lookup),
    ]);
    const updateStartedAt = performance.now();
    await temporal.workflow
      .getHandle(verifyDomainId({ domain }))
      .executeUpdate(checkDomainUpdate, { args: [{ org: 'acme' }] });
    if (nth <= 3) continue;
    baseline.push(updateStartedAt - queriesStartedAt);
    service.push(performance.now() - updateStartedAt);
  }
  return { service, baseline };
}

/** Runs the same queries, with the same concurrency, on Node's own resolver. */
async function measureBaseline() {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const unresponsive = new Resolver({ timeout: timeoutMs, tries: 1 });
  unresponsive.setServers([`127.0.0.4:${port}`]);
  const runRound = async (): Promise<void> => {
    const queue = Array.from({ length: count }, (_, index) => index).values();
    const work = async (): Promise<void> => {
      for (const index of queue) {
        const name = toDomainName(index);
        const target = isUnresponsive(index) ? unresponsive : resolver;
        await Promise.allSettled([
          target.resolveTxt(`_service.${name}`),
          target.resolve4(name),
          target.resolveCaa(name),
        ]);
      }
    };
    await Promise.all(Array.from({ length: 400 * shards }, work));
  };
  await runRound();
  const measurements = [];
  for (let time = 1; time <= 3; time += 1) {
    logProgress(`The baseline, ${time} of 3…`);
    measurements.push(await measureTime(runRound));
    logProgress(
      `  ${formatSeconds(measurements.at(-1)?.wallMs ?? 0)}, ${formatSeconds(measurements.at(-1)?.cpuMs ?? 0)} of CPU`,
    );
  }
  return measurements.toSorted((left, right) => left.wallMs - right.wallMs)[1] ?? { wallMs: 0, cpuMs: 0, queries: 0 };
}

async function measureTime(work: () => Promise<unknown>) {
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000, queries: 3 * count };
}

/** Estimates the number of events in the histories of all open workflows from a sample. */
async function countHistoryEvents(): Promise<number> {
  // A workflow that was just notified may not have started its sweep yet.
  const length = async (id: string): Promise<number> => {
    const described = await temporal.workflow
      .getHandle(id)
      .describe()
      .catch(() => undefined);
    return described?.historyLength ?? 0;
  };
  const sweeps = Array.from({ length: shards }, async (_, shard) => await length(sweepDnsId({ shard })));
  const sum = (await Promise.all(sweeps)).reduce((one, other) => one + other, 0);
  const sample = await Promise.all(
    Array.from({ length: 200 }, async (_, nth) => {
      const domain = toDomainName(nth * Math.floor(count / 200));
      return await length(verifyDomainId({ domain }));
    }),
  );
  return sum + (sample.reduce((one, other) => one + other, 0) / sample.length) * count;
}

/** Counts the UDP datagrams that this machine sent; half of them are queries and half are responses. */
async function countDatagrams(): Promise<number> {
  const lines = (await readFile('/proc/net/snmp', 'utf8')).split('\n').filter((line) => line.startsWith('Udp: '));
  const [names = [], values = []] = lines.map((line) => line.split(' '));
  return Number(values[names.indexOf('OutDatagrams')]) / 2;
}

async function readServerCpuMs(): Promise<number> {
  const pid = /\d+/.exec(await readFile(join(folder, 'temporal', 'temporal.pid'), 'utf8'))?.[0] ?? '';
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function formatTable(rows: Row[]): string {
  const lines = [
    ['', 'service', 'baseline', 'ratio', 'goal'],
    ...rows.map(({ what, service, baseline = '', goal = '' }) => [
      what,
      service,
      baseline,
      formatRatio(service, baseline),
      goal,
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return `${lines.map((line) => line.map((cell, column) => (column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n')}\n`;
}
