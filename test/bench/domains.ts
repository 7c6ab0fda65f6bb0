// What it costs to look after ten thousand domains that wait for their records, one in a hundred of them at servers that
// never answer, beside a bare loop of the runtime's own resolver that asks the same.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Resolver } from 'node:dns/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker, makeTelemetryFilterString } from '@temporalio/worker';
import { type ActivityDeps, createActivities } from '../../activities/index.ts';
import { sweepOnce } from '../../activities/domains/sweep.ts';
import { isProxied } from '../../src/integrations/dns/cloudflare.ts';
import { createDns } from '../../src/integrations/dns/create-dns.ts';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { tellObserved } from '../../src/main/tell-observed.ts';
import { temporalCli } from '../../src/main/tools/temporal-cli.ts';
import { toolCacheDir } from '../../src/main/tools/tool.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { DomainKind, type DomainSettings, shardLabel } from '../../src/rules/domains/kinds.ts';
import { domainsPerShard, sweepName } from '../../src/rules/domains/sweeps.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { checkNow, sweepDnsId, verifyDomainId } from '../../workflows/domains/messages.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { freeUdpPort, startKnot } from '../support/dns-servers.ts';

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
const say = (message: string) => void process.stderr.write(`${message}\n`);
const now = (): Date => new Date();
// A machine that is asked for all it has is slow at times, which is no news here.
Runtime.install({
  logger: new DefaultLogger('ERROR'),
  telemetryOptions: { logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }) } },
});

const isDead = (index: number): boolean => index % 100 === 99;
const nameOf = (index: number): string => (isDead(index) ? `d${index}.dead.test` : `d${index}.test`);
const tokenOf = (index: number): string => `t${index}`;

const folder = await mkdtemp(join(tmpdir(), 'bench-domains-'));
const port = await freeUdpPort('127.0.0.1');
const dead = Array.from({ length: count / 100 }, (_, index) => `d${index * 100 + 99}.dead NS ns.dead\n`).join('');
const knot = await startKnot({ port, zones: [{ name: 'test.', records: `ns.dead A 127.0.0.4\n${dead}` }] });
const tool = await temporalCli({ cacheDir: toolCacheDir(process.env), env: process.env, onProgress: say });
if ('missing' in tool) throw new Error(tool.missing);
const server = await startTemporalServer({
  executable: tool.path,
  settings: await readTemporalSettings(),
  logFile: join(folder, 'temporal.log'),
  dataDir: join(folder, 'temporal'),
  port: 0,
});
const store = openSqliteStore({ file: join(folder, 'store.sqlite') });
const connection = await NativeConnection.connect({ address: server.address });
const temporal = new Client({ connection });
const dns = createDns({ resolvers: [`127.0.0.1:${port}`], port, timeoutMs, now });
const domains: DomainSettings = {
  platformDomain: undefined,
  managedRoots: [],
  ingress: { host: undefined, addresses: ['192.0.2.1'] },
  certificateAuthorities: ['letsencrypt.org'],
  platformOrg: undefined,
};
const deps = { store, dns, domains, proxied: isProxied, tellObserved: tellObserved(temporal), now };
const worker = await Worker.create({
  connection,
  taskQueue: defaultTaskQueue,
  workflowBundle: await workflowBundle(() => {}),
  activities: createActivities(deps as unknown as ActivityDeps),
  shutdownGraceTime: 0,
});
const running = worker.run();
const version = async (): Promise<number> => Number((await store.list(ConfigMapKind, { limit: 1 })).resourceVersion);

const quantile = (values: number[], part: number): number =>
  values.toSorted((left, right) => left - right)[Math.min(values.length - 1, Math.floor(part * values.length))] ??
  Number.NaN;
const seconds = (value: number): string => `${(value / 1_000).toFixed(2)} s`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const rate = (questions: number, wallMs: number): string => ((questions * 1_000) / wallMs).toFixed(0);

const ratio = (ours: string, reference: string): string =>
  reference === '' ? '' : `${(Number.parseFloat(ours) / Number.parseFloat(reference)).toFixed(2)}×`;

try {
  const rows = await measure();
  process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : table(rows));
} finally {
  worker.shutdown();
  await running;
  await dns.close();
  await connection.close();
  await store.close();
  await server.close();
  await knot.stop();
  await rm(folder, { recursive: true, force: true });
}

type Row = { what: string; ours: string; reference?: string; goal?: string };

async function measure(): Promise<Row[]> {
  say(`Claiming ${count} domains…`);
  await seed();
  const rounds = await roundsAtOnce();
  await startLoops();
  const steady = await steadyMinutes();
  say(`  ${JSON.stringify(steady)}`);
  const seenMs = await newRecordsSeen();
  say(`  seen after ${seenMs.map(seconds).join(', ')}`);
  const checkMs = await checksAnswered();
  const bare = await bareLoop();
  return [
    {
      what: `a round of ${rounds.questions} questions, at once`,
      ours: seconds(rounds.wallMs),
      reference: seconds(bare.wallMs),
      goal: 'seconds',
    },
    {
      what: '  questions a second',
      ours: rate(rounds.questions, rounds.wallMs),
      reference: rate(bare.questions, bare.wallMs),
    },
    { what: '  CPU of the round', ours: seconds(rounds.cpuMs), reference: seconds(bare.cpuMs) },
    { what: 'steady: CPU of the worker', ours: percent(steady.workerCpu), goal: '< 10 % of two cores' },
    { what: 'steady: CPU of the Temporal server', ours: percent(steady.serverCpu) },
    { what: 'steady: questions a minute', ours: steady.questionsPerMinute.toFixed(0) },
    { what: 'steady: slowest round of a shard', ours: seconds(steady.slowestMs) },
    { what: 'steady: events written to histories a minute', ours: steady.eventsPerMinute.toFixed(1), goal: '≤ 10' },
    { what: 'steady: writes to the store a minute', ours: steady.writesPerMinute.toFixed(1) },
    { what: `new record seen, slowest of ${newRecords}`, ours: seconds(Math.max(...seenMs)), goal: '≤ 61 s' },
    {
      what: `check answered, p50 of ${checks}`,
      ours: ms(quantile(checkMs.ours, 0.5)),
      reference: ms(quantile(checkMs.bare, 0.5)),
      goal: 'reference + 50 ms',
    },
    {
      what: `check answered, p95 of ${checks}`,
      ours: ms(quantile(checkMs.ours, 0.95)),
      reference: ms(quantile(checkMs.bare, 0.95)),
      goal: 'reference + 50 ms',
    },
  ];
}

async function seed(): Promise<void> {
  const claimedAt = now().toISOString();
  for (let index = 0; index < count; index += 1) {
    const metadata = {
      namespace,
      name: nameOf(index),
      labels: { [shardLabel]: String(Math.floor(index / domainsPerShard)) },
    };
    const spec = { name: nameOf(index), kind: 'external' as const, shared: false, token: tokenOf(index) };
    await store.create(DomainKind, { metadata, spec });
    await store.updateStatus(DomainKind, metadata, () => ({ state: 'WaitingForDns' as const, claimedAt }));
  }
}

/** All shards in the same moment, without Temporal: the first round finds out where zones are served and writes what it sees. */
async function roundsAtOnce() {
  const quiet = { ...deps, tellObserved: async () => {} };
  const round = async () =>
    await Promise.all(
      Array.from({ length: shards }, async (_, shard) => await sweepOnce(quiet, shard, { after: 0, upTo: 1 })),
    );
  say('The first round, which knows nothing yet…');
  await round();
  const all = [];
  for (let time = 1; time <= 3; time += 1) {
    say(`A round of all at once, ${time} of 3…`);
    all.push(await timed(round));
    say(`  ${seconds(all.at(-1)?.wallMs ?? 0)}, ${seconds(all.at(-1)?.cpuMs ?? 0)} of CPU`);
  }
  return all.toSorted((left, right) => left.wallMs - right.wallMs)[1] ?? { wallMs: 0, cpuMs: 0, questions: 0 };
}

async function startLoops(): Promise<void> {
  say(`Starting ${count} loops, which start ${shards} sweeps…`);
  const tell = tellObserved(temporal);
  const queue = Array.from({ length: count }, (_, index) => index).values();
  let done = 0;
  const work = async (): Promise<void> => {
    for (const index of queue) {
      await tell({ org: 'acme', domain: nameOf(index) });
      if ((done += 1) % 1_000 === 0) say(`  ${done} of ${count}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  // Until everybody has had a first round, and nothing is written any more of what that started.
  for (let before = -1, after = 0; before !== after;) {
    say(`Settling, ${Math.round(after)} events so far…`);
    await pause(40_000);
    [before, after] = [after, await events()];
  }
}

async function steadyMinutes() {
  const before = {
    events: await events(),
    rv: await version(),
    questions: await datagrams(),
    cpu: process.cpuUsage(),
    server: await cpuOfServer(),
  };
  const startedAt = performance.now();
  const slow = new AbortController();
  const rounds = watchRounds(slow.signal);
  for (let minute = 1; minute <= minutes; minute += 1) {
    say(`A steady minute, ${minute} of ${minutes}…`);
    await pause(60_000);
  }
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before.cpu);
  const serverMs = (await cpuOfServer()) - before.server;
  slow.abort();
  const perMinute = (value: number): number => (value * 60_000) / tookMs;
  return {
    workerCpu: (user + system) / 1_000 / tookMs / 2,
    serverCpu: serverMs / tookMs / 2,
    questionsPerMinute: perMinute((await datagrams()) - before.questions),
    eventsPerMinute: perMinute((await events()) - before.events),
    writesPerMinute: perMinute((await version()) - before.rv),
    slowestMs: Math.max(0, ...(await rounds)),
  };
}

/** From the moment a shard's round began to that in which it was written down. */
async function watchRounds(signal: AbortSignal): Promise<number[]> {
  const took: number[] = [];
  try {
    for await (const { object } of store.watch(ConfigMapKind, { namespace: systemNamespace, signal }))
      if (object.metadata.name.startsWith(sweepName(0).slice(0, -1)))
        took.push(Date.now() - Date.parse(object.data?.['waiting'] ?? ''));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return took;
}

/** Added at moments of a minute, each seen when it is verified. */
async function newRecordsSeen(): Promise<number[]> {
  say(`Adding ${newRecords} records over a minute…`);
  const see = async (nth: number): Promise<number> => {
    const index = nth * Math.floor(count / newRecords);
    await pause((nth * 60_000) / newRecords);
    await knot.update('test.', `add _service.${nameOf(index)}. 60 TXT "service-verify=${tokenOf(index)}"`);
    const addedAt = performance.now();
    for (;;) {
      const { status } = await store.get(DomainKind, { namespace, name: nameOf(index) });
      if (status?.state === 'Verified') return performance.now() - addedAt;
      await pause(20);
    }
  };
  return await Promise.all(Array.from({ length: newRecords }, async (_, nth) => await see(nth)));
}

/** One after the other: the update to its answer, and the same questions alone. */
async function checksAnswered(): Promise<{ ours: number[]; bare: number[] }> {
  say(`Checking ${checks} domains by hand…`);
  const ours: number[] = [];
  const bare: number[] = [];
  for (let nth = 1; nth <= checks + 3; nth += 1) {
    const domain = nameOf(nth * Math.floor(count / 50));
    const alone = performance.now();
    const thorough = { thorough: true };
    await Promise.all([
      dns.texts(`_service.${domain}`, thorough),
      dns.addresses(domain, thorough),
      dns.certificateAuthorities(domain, thorough),
    ]);
    const asked = performance.now();
    await temporal.workflow.getHandle(verifyDomainId({ domain })).executeUpdate(checkNow, { args: [{ org: 'acme' }] });
    if (nth <= 3) continue;
    bare.push(asked - alone);
    ours.push(performance.now() - asked);
  }
  return { ours, bare };
}

/** The same questions with nothing around them, 200 at once as ours. */
async function bareLoop() {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([`127.0.0.1:${port}`]);
  const silent = new Resolver({ timeout: timeoutMs, tries: 1 });
  silent.setServers([`127.0.0.4:${port}`]);
  const round = async (): Promise<void> => {
    const queue = Array.from({ length: count }, (_, index) => index).values();
    const work = async (): Promise<void> => {
      for (const index of queue) {
        const name = nameOf(index);
        const of = isDead(index) ? silent : resolver;
        await Promise.allSettled([of.resolveTxt(`_service.${name}`), of.resolve4(name), of.resolveCaa(name)]);
      }
    };
    await Promise.all(Array.from({ length: 400 * shards }, work));
  };
  await round();
  const all = [];
  for (let time = 1; time <= 3; time += 1) {
    say(`The bare loop, ${time} of 3…`);
    all.push(await timed(round));
    say(`  ${seconds(all.at(-1)?.wallMs ?? 0)}, ${seconds(all.at(-1)?.cpuMs ?? 0)} of CPU`);
  }
  return all.toSorted((left, right) => left.wallMs - right.wallMs)[1] ?? { wallMs: 0, cpuMs: 0, questions: 0 };
}

async function timed(work: () => Promise<unknown>) {
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()];
  await work();
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs, cpuMs: (user + system) / 1_000, questions: 3 * count };
}

/** Of all histories of open workflows. */
async function events(): Promise<number> {
  // A loop that was told a moment ago has perhaps not started its sweep yet.
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
      const domain = nameOf(nth * Math.floor(count / 200));
      return await length(verifyDomainId({ domain }));
    }),
  );
  return sum + (sample.reduce((one, other) => one + other, 0) / sample.length) * count;
}

/** Sent by this machine, half of them questions and half of them answers. */
async function datagrams(): Promise<number> {
  const lines = (await readFile('/proc/net/snmp', 'utf8')).split('\n').filter((line) => line.startsWith('Udp: '));
  const [names = [], values = []] = lines.map((line) => line.split(' '));
  return Number(values[names.indexOf('OutDatagrams')]) / 2;
}

async function cpuOfServer(): Promise<number> {
  const pid = /\d+/.exec(await readFile(join(folder, 'temporal', 'temporal.pid'), 'utf8'))?.[0] ?? '';
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function table(rows: Row[]): string {
  const lines = [
    ['', 'ours', 'bare', 'ratio', 'goal'],
    ...rows.map(({ what, ours, reference = '', goal = '' }) => [what, ours, reference, ratio(ours, reference), goal]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return `${lines.map((line) => line.map((cell, column) => (column === 0 || column === 4 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n')}\n`;
}
