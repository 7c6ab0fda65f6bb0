// Measures the API while strangers send forged webhooks: a thousand bodies of 25 MiB at once, and 500 small ones with a
// wrong signature per second. The baseline is the same process before the flood.
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startTemporal } from '../support/servers/start-temporal.ts';
import { openIntakeStore, seedOrgs, toOrgName } from '../support/platform/intake-harness.ts';
import { startReplica } from '../support/platform/replica.ts';
import { type RequestResult, closeConnectionPools, quantile, sendAtRate, sendDelivery } from './intake-load.ts';
import type { FloodInput } from './forged-flood.ts';

const mib = 1024 * 1024;
const orgs = 100;
const forgedBodies = 1000;
const forgedBodyBytes = 25 * mib;
const seconds = 10;
const validPerSecond = 20;
const wrongPerSecond = 500;

type Row = { what: string; before?: string; during: string; goal: string };

const scratch = await mkdtemp(join(tmpdir(), 'bench-'));
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const server = await startTemporal({ folder: scratch, onProgress });
try {
  const load = loadavg()[0]?.toFixed(1);
  const rows: Row[] = [];
  // The second limit is the largest one that a code host needs, so the flood passes the check of the length.
  for (const limitMib of [5, 25]) rows.push(...(await measure(limitMib)));
  process.stdout.write(`load at the start: ${load}\n`);
  for (const { what, before = '', during, goal } of rows)
    process.stdout.write(`${what.padEnd(48)}${before.padEnd(14)}${during.padEnd(48)}${goal}\n`);
} finally {
  await closeConnectionPools();
  await server.close();
  await rm(scratch, { recursive: true, force: true, maxRetries: 5 });
}

async function measure(limitMib: number): Promise<Row[]> {
  const dataDir = await mkdtemp(join(scratch, 'api-'));
  const store = openIntakeStore(dataDir);
  await seedOrgs(store, orgs);
  await store.close();
  const environment = { DATA_DIR: dataDir, TEMPORAL_ADDRESS: server.address, WEBHOOK_BODY_MIB: String(limitMib) };
  const api = await startReplica('api', environment);
  try {
    const url = `${api.url}/api/v1/webhooks/codehost`;
    await sendValid(url, 5);
    const before = await sendValid(url, seconds);
    const residentBefore = await readResidentMib(api.pid);
    let residentPeak = residentBefore;
    let isOver = false;
    const watch = (async () => {
      for (; !isOver; await pause(50)) residentPeak = Math.max(residentPeak, await readResidentMib(api.pid));
    })();
    const [during, wrong, forged] = await Promise.all([
      sendValid(url, seconds),
      runFlood({ url, wrongPerSecond, seconds, orgs }),
      runFlood({ url, forgedBodies, forgedBodyBytes }),
    ]);
    isOver = true;
    await watch;
    const p50 = (sent: RequestResult[]): string => `${quantile(sent, 0.5).toFixed(1)} ms`;
    const p99 = (sent: RequestResult[]): string => `${quantile(sent, 0.99).toFixed(1)} ms`;
    const rows: Row[] = [
      { what: 'p50 of valid deliveries', before: p50(before), during: p50(during), goal: '' },
      { what: 'p99 of valid deliveries', before: p99(before), during: p99(during), goal: '≤ 2×' },
      { what: 'memory', before: `${residentBefore} MiB`, during: `${residentPeak} MiB`, goal: '≤ 300 MiB more' },
      { what: 'valid deliveries', before: countStatuses(before), during: countStatuses(during), goal: 'all 202' },
      { what: 'wrong signatures', during: countStatuses(wrong), goal: 'all 401' },
      { what: `bodies of ${forgedBodyBytes / mib} MiB`, during: countStatuses(forged), goal: 'none 202' },
    ];
    return rows.map((row) => ({ ...row, what: `limit ${limitMib} MiB: ${row.what}` }));
  } finally {
    await api.kill();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** An edited issue starts no run, so a valid delivery needs no workflow server. */
async function sendValid(url: string, duration: number): Promise<RequestResult[]> {
  return await sendAtRate(
    validPerSecond,
    validPerSecond * duration,
    async (index) => await sendDelivery({ url, org: toOrgName(index % orgs), number: index + 1, action: 'edited' }),
  );
}

/** Each flood has a thread of its own, so that it delays neither the other one nor the valid deliveries. */
async function runFlood(input: FloodInput): Promise<RequestResult[]> {
  const worker = new Worker(new URL('forged-flood.ts', import.meta.url), { workerData: input });
  const [sent] = (await once(worker, 'message')) as [RequestResult[]];
  return sent;
}

async function readResidentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024);
}

function countStatuses(sent: RequestResult[]): string {
  const groups = Map.groupBy(sent, ({ status }) => status);
  return [...groups].map(([status, all]) => `${all.length} × ${status}`).join(', ');
}
