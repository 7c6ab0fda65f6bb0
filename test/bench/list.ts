// Measures how fast a warm API replica lists the runs of an org for a caller with a token. The baseline is the same page
// from the Kubernetes API server.
import { randomBytes } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { createToken } from '../../src/rules/access/token.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { customResourceKinds } from '../../src/rules/custom-resource-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { tokenName } from '../../api/auth/authenticate.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { startControlPlane } from '../cluster/control-plane/start-control-plane.ts';
import { installCrds } from '../cluster/install-crds.ts';
import { acceptedCreates } from '../../src/store/accepted-creates.ts';
import { openClusterStore } from '../cluster/open-cluster-store.ts';
import { ensureDebianPrograms } from '../support/servers/debian-programs.ts';
import { seedRuns } from './seed-runs.ts';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean' }, runs: { type: 'string', default: '20000' } },
});
const concurrentRequests = 50;
const seconds = 5;
const rounds = 3;
const idleWaitSecondsMax = 60;
const org = `bench-${crypto.randomUUID().slice(0, 8)}`;
const namespace = orgNamespace(org);
const logProgress = (message: string) => void process.stderr.write(`${message}\n`);

const wrk = await ensureDebianPrograms({ packages: ['wrk'], probe: 'wrk', purpose: 'generates load' });
if ('missing' in wrk) throw new Error(wrk.missing);
const cluster = await startControlPlane();
const replica = { stop: () => {} };
try {
  await installCrds(cluster, [...customResourceKinds]);
  const store = acceptedCreates(await openClusterStore(cluster));
  const token = await createCaller(store);
  await seedRuns(store, { namespace, count: Number(options.runs), logProgress });
  await store.close();

  const api = await startReplica();
  replica.stop = api.stop;
  const serviceUrl = `http://127.0.0.1:${api.port}/api/v1/orgs/${org}/agentworkflowruns?limit=50`;
  const apiServerUrl = `${cluster.server}/apis/service.delivery/v1/namespaces/${namespace}/agentworkflowruns?limit=50`;
  const before = await readMemoryMb(api.pid);
  const startedAt = performance.now();
  const page = await fetchPage(serviceUrl, token);
  const warmMs = performance.now() - startedAt;
  if (page.names.length !== 50) throw new Error(`The page has ${page.names.length} runs.`);
  for (const compressed of [true, false]) await runLoad(serviceUrl, token, { compressed });
  const loadBefore = loadavg()[0]?.toFixed(1);
  // The service is measured first, because the API server keeps cleaning up for a minute after it served lists.
  const results = {
    service: { compressed: [] as LoadResult[], plain: [] as LoadResult[] },
    apiServer: { compressed: [] as LoadResult[], plain: [] as LoadResult[] },
  };
  const measure = async (
    url: string,
    bearer: string,
    into: { compressed: LoadResult[]; plain: LoadResult[] },
  ): Promise<void> => {
    for (let round = 1; round <= rounds; round += 1) {
      logProgress(`${new URL(url).pathname}: round ${round} of ${rounds}`);
      into.compressed.push(await runLoad(url, bearer, { compressed: true }));
      into.plain.push(await runLoad(url, bearer, { compressed: false }));
    }
  };
  await measure(serviceUrl, token, results.service);
  await measure(apiServerUrl, cluster.adminToken, results.apiServer);
  report(
    [
      {
        what: 'compressed, as browsers and kubectl request it',
        service: medianLoad(results.service.compressed),
        apiServer: medianLoad(results.apiServer.compressed),
      },
      {
        what: 'not compressed',
        service: medianLoad(results.service.plain),
        apiServer: medianLoad(results.apiServer.plain),
      },
    ],
    {
      load: loadBefore,
      runs: Number(options.runs),
      pageBytes: page.bytes,
      warmMs,
      memoryMB: { before, after: await readMemoryMb(api.pid), apiServer: await readMemoryMb(await getApiServerPid()) },
    },
  );
} finally {
  replica.stop();
  await cluster.stop();
}

type LoadResult = { perSecond: number; p50Ms: number; p99Ms: number };
type BenchContext = {
  load: string | undefined;
  runs: number;
  pageBytes: number;
  warmMs: number;
  memoryMB: { before: number; after: number; apiServer: number };
};

type Comparison = { what: string; service: LoadResult; apiServer: LoadResult };

function report(compared: Comparison[], context: BenchContext): void {
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ compared, ...context })}\n`);
    return;
  }
  const line = (what: string, { perSecond, p50Ms, p99Ms }: LoadResult) =>
    `  ${what.padEnd(22)}${perSecond.toFixed(0).padStart(8)}/s   p50 ${p50Ms.toFixed(2)} ms   p99 ${p99Ms.toFixed(2)} ms\n`;
  const tables = compared.map(({ what, service, apiServer }) =>
    [
      `${what}:\n`,
      line('the API of the service, as a viewer', service),
      line('the Kubernetes API server', apiServer),
      `  ${(service.perSecond / apiServer.perSecond).toFixed(1)} times the rate; p99 ${service.p99Ms < 10 ? 'under' : 'OVER'} 10 ms\n`,
    ].join(''),
  );
  const { memoryMB } = context;
  process.stdout.write(
    [
      `50 of ${context.runs} runs, ${context.pageBytes} bytes, ${concurrentRequests} requests in flight; load at the start ${context.load}\n`,
      ...tables,
      `the replica: ${memoryMB.before} MB at start, ${memoryMB.after} MB with all runs; warm after ${(context.warmMs / 1000).toFixed(1)} s\n`,
      `the API server: ${memoryMB.apiServer} MB\n`,
    ].join(''),
  );
}

async function createCaller(store: Store): Promise<string> {
  const email = 'viewer@example.com';
  const user = `${userName(email)}`;
  const group = { name: 'viewers', role: 'viewer' as const, members: [email] };
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name: org },
    spec: { codehostAccount: org, gitopsRepo: `${org}/gitops` },
  });
  const { metadata: holder } = await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: user },
    spec: { email, platformAdmin: false },
  });
  await store.create(AccessGroupKind, { metadata: { namespace, name: group.name }, spec: group });
  const token = createToken(randomBytes(32));
  await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token) },
    spec: { use: 'token', user, userUid: holder.uid, label: 'bench' },
  });
  return token;
}

async function startReplica(): Promise<{ port: number; pid: number; stop: () => void }> {
  const file = new URL('api-process.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, ['--max-semi-space-size=32', file, cluster.kubeconfig], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { port: Number(String(line)), pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

async function fetchPage(url: string, token: string): Promise<{ names: string[]; bytes: number }> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const { items } = JSON.parse(text) as { items: { name: string }[] };
  return { names: items.map(({ name }) => name), bytes: Buffer.byteLength(text) };
}

async function runLoad(url: string, token: string, { compressed }: { compressed: boolean }): Promise<LoadResult> {
  if ('missing' in wrk) throw new Error(wrk.missing);
  await waitUntilApiServerIdle();
  const encoding = compressed ? 'gzip' : 'identity';
  const headers = ['-H', `Authorization: Bearer ${token}`, '-H', `Accept-Encoding: ${encoding}`];
  const args = ['-t1', '--timeout=30s', `-c${concurrentRequests}`, `-d${seconds}s`, '--latency', ...headers, url];
  const { stdout } = await promisify(execFile)(wrk.pathTo('wrk'), args, { env: wrk.env });
  if (/Non-2xx|Socket errors/.test(stdout)) throw new Error(stdout);
  const toMs = (part: string): number => {
    const [, value = '', unit = 'ms'] = new RegExp(`${part}%\\s+([\\d.]+)(us|ms|s)`).exec(stdout) ?? [];
    return Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'];
  };
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
  return { perSecond, p50Ms: toMs('50'), p99Ms: toMs('99') };
}

function medianLoad(loads: LoadResult[]): LoadResult {
  const middle = (read: (load: LoadResult) => number): number =>
    loads.map(read).toSorted((one, other) => one - other)[Math.floor(loads.length / 2)] ?? Number.NaN;
  return {
    perSecond: middle(({ perSecond }) => perSecond),
    p50Ms: middle(({ p50Ms }) => p50Ms),
    p99Ms: middle(({ p99Ms }) => p99Ms),
  };
}

async function readMemoryMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

async function getApiServerPid(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
  const line = stdout.split('\n').find((each) => each.includes(`--secure-port=${new URL(cluster.server).port}`));
  return Number.parseInt(line ?? '', 10);
}

/** Waits because the API server keeps working on earlier requests for a while. */
async function waitUntilApiServerIdle(): Promise<void> {
  const pid = await getApiServerPid();
  const ticks = async (): Promise<number> => {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(' ');
    return Number(fields[13]) + Number(fields[14]);
  };
  for (let before = await ticks(), left = idleWaitSecondsMax; left > 0; left -= 1) {
    await setTimeout(1_000);
    const now = await ticks();
    // One core has a hundred ticks per second.
    if (now - before < 10) return;
    before = now;
  }
}
