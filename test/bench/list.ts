// How fast an org's runs are listed from a warm replica of the API, with the caller known and allowed by their token,
// beside the same page asked of the API server itself in the same run.
import { randomBytes } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { makeToken } from '../../src/rules/access/token.ts';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { ownKinds } from '../../src/rules/own-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from '../../api/authenticate.ts';
import { userName } from '../../api/access/passwords.ts';
import { startControlPlane } from '../cluster/control-plane/start-control-plane.ts';
import { installKinds } from '../cluster/install-kinds.ts';
import { openClusterStore } from '../cluster/open-cluster-store.ts';
import { debianPrograms } from '../support/debian-programs.ts';
import { fillWithRuns } from './some-runs.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, runs: { type: 'string', default: '20000' } },
});
const inFlight = 50;
const seconds = 5;
const rounds = 3;
const restSecondsMax = 60;
const org = `bench-${crypto.randomUUID().slice(0, 8)}`;
const namespace = orgNamespace(org);
const say = (message: string) => void process.stderr.write(`${message}\n`);

const wrk = await debianPrograms({ packages: ['wrk'], probe: 'wrk', purpose: 'asks as fast as it is answered' });
if ('missing' in wrk) throw new Error(wrk.missing);
const cluster = await startControlPlane();
const replica = { stop: () => {} };
try {
  await installKinds(cluster, [...ownKinds]);
  const store = await openClusterStore(cluster);
  const token = await makeCaller(store);
  await fillWithRuns(store, { namespace, count: Number(options.runs), say });
  await store.close();

  const api = await startReplica();
  replica.stop = api.stop;
  const ours = `http://127.0.0.1:${api.port}/api/v1/orgs/${org}/agentworkflowruns?limit=50`;
  const theirs = `${cluster.server}/apis/service.delivery/v1/namespaces/${namespace}/agentworkflowruns?limit=50`;
  const before = await memoryOf(api.pid);
  const startedAt = performance.now();
  const page = await namesIn(ours, token);
  const warmMs = performance.now() - startedAt;
  if (page.names.length !== 50) throw new Error(`The page has ${page.names.length} runs.`);
  for (const compressed of [true, false]) await load(ours, token, { compressed });
  const loadBefore = loadavg()[0]?.toFixed(1);
  // Ours first: an API server that has answered lists for a minute clears away what they took for another.
  const asked = { ours: [] as Load[], oursPlain: [] as Load[], theirs: [] as Load[], theirsPlain: [] as Load[] };
  const ask = async (url: string, as: string, into: { compressed: Load[]; plain: Load[] }): Promise<void> => {
    for (let round = 1; round <= rounds; round += 1) {
      say(`${new URL(url).pathname}: round ${round} of ${rounds}`);
      into.compressed.push(await load(url, as, { compressed: true }));
      into.plain.push(await load(url, as, { compressed: false }));
    }
  };
  await ask(ours, token, { compressed: asked.ours, plain: asked.oursPlain });
  await ask(theirs, cluster.adminToken, { compressed: asked.theirs, plain: asked.theirsPlain });
  report(
    [
      { what: 'compressed, as browsers and kubectl ask', ours: median(asked.ours), theirs: median(asked.theirs) },
      { what: 'not compressed', ours: median(asked.oursPlain), theirs: median(asked.theirsPlain) },
    ],
    {
      load: loadBefore,
      runs: Number(options.runs),
      pageBytes: page.bytes,
      warmMs,
      memoryMB: { before, after: await memoryOf(api.pid), apiServer: await memoryOf(await pidOfApiServer()) },
    },
  );
} finally {
  replica.stop();
  await cluster.stop();
}

type Load = { perSecond: number; p50Ms: number; p99Ms: number };
type Beside = {
  load: string | undefined;
  runs: number;
  pageBytes: number;
  warmMs: number;
  memoryMB: { before: number; after: number; apiServer: number };
};

type Compared = { what: string; ours: Load; theirs: Load };

function report(compared: Compared[], beside: Beside): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ compared, ...beside })}\n`);
    return;
  }
  const line = (what: string, { perSecond, p50Ms, p99Ms }: Load) =>
    `  ${what.padEnd(22)}${perSecond.toFixed(0).padStart(8)}/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms\n`;
  const tables = compared.map(({ what, ours, theirs }) =>
    [
      `${what}:\n`,
      line('this API, as a viewer', ours),
      line('the API server itself', theirs),
      `  ${(ours.perSecond / theirs.perSecond).toFixed(1)} times the rate; p99 ${ours.p99Ms < 10 ? 'under' : 'OVER'} 10 ms\n`,
    ].join(''),
  );
  const { memoryMB } = beside;
  process.stdout.write(
    [
      `50 of ${beside.runs} runs, ${beside.pageBytes} bytes, ${inFlight} requests in flight; load at the start ${beside.load}\n`,
      ...tables,
      `the replica: ${memoryMB.before} MB when it starts, ${memoryMB.after} MB with all runs; warm after ${(beside.warmMs / 1000).toFixed(1)} s\n`,
      `the API server: ${memoryMB.apiServer} MB\n`,
    ].join(''),
  );
}

async function makeCaller(store: Store): Promise<string> {
  const email = 'viewer@example.com';
  const user = `${userName(email)}`;
  const group = { name: 'viewers', role: 'viewer' as const, members: [email] };
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
  });
  await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: user },
    spec: { email, platformAdmin: false },
  });
  await store.create(AccessGroupKind, { metadata: { namespace, name: group.name }, spec: group });
  const token = makeToken(randomBytes(32));
  await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token) },
    spec: { use: 'token', user, label: 'bench' },
  });
  return token;
}

async function startReplica(): Promise<{ port: number; pid: number; stop: () => void }> {
  const file = new URL('list-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--max-semi-space-size=32', file, cluster.kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(String(line)), pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

async function namesIn(url: string, token: string): Promise<{ names: string[]; bytes: number }> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  const { items } = JSON.parse(text) as { items: { name: string }[] };
  return { names: items.map(({ name }) => name), bytes: Buffer.byteLength(text) };
}

async function load(url: string, token: string, { compressed }: { compressed: boolean }): Promise<Load> {
  if ('missing' in wrk) throw new Error(wrk.missing);
  await untilApiServerRests();
  const encoding = compressed ? 'gzip' : 'identity';
  const headers = ['-H', `Authorization: Bearer ${token}`, '-H', `Accept-Encoding: ${encoding}`];
  const args = ['-t1', '--timeout=30s', `-c${inFlight}`, `-d${seconds}s`, '--latency', ...headers, url];
  const { stdout } = await promisify(execFile)(wrk.run('wrk'), args, { env: wrk.env });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const millis = (part: string): number => {
    const [, value = '', unit = 'ms'] = new RegExp(`${part}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'];
  };
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { perSecond, p50Ms: millis('50'), p99Ms: millis('99') };
}

function median(loads: Load[]): Load {
  const middle = (of: (load: Load) => number): number =>
    loads.map(of).toSorted((one, other) => one - other)[Math.floor(loads.length / 2)] ?? Number.NaN;
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
  };
}

async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function pidOfApiServer(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
  const line = stdout.split('\n').find((each) => each.includes(`--secure-port=${new URL(cluster.server).port}`));
  return Number.parseInt(line ?? '', 10);
}

/** What it was asked before, it still answers and clears away for a while. */
async function untilApiServerRests(): Promise<void> {
  const pid = await pidOfApiServer();
  const ticks = async (): Promise<number> => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
    return Number(fields[13]) + Number(fields[14]);
  };
  for (let before = await ticks(), left = restSecondsMax; left > 0; left -= 1) {
    await setTimeout(1_000);
    const now = await ticks();
    // Of a hundred in a second of one core.
    if (now - before < 10) return;
    before = now;
  }
}
