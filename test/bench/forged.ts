// Measures the API while strangers send forged webhooks: a thousand bodies of 25 MiB at once, and 500 small ones with a
// wrong signature per second. The baseline is the same process without a flood, in rounds that alternate.
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
import { formatTable, isMissed, type Row } from './table.ts';

const mib = 1024 * 1024;
const orgs = 100;
const forgedBodies = 1000;
const forgedBodyBytes = 25 * mib;
const seconds = 10;
/** Enough that the p99 is that of 1,000 deliveries, and that a pause of the machine hits both sides alike. */
const rounds = 5;
const validPerSecond = 20;
const wrongPerSecond = 500;

/** The process may grow by so much, because it holds at most 64 MiB of bodies that are not verified. */
const growthMibMax = 300;

const scratch = await mkdtemp(join(tmpdir(), 'bench-'));
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);
const server = await startTemporal({ folder: scratch, onProgress });
try {
  const load = loadavg()[0]?.toFixed(1);
  const rows: Row[] = [];
  // The second limit is the largest one that a code host needs, so the flood passes the check of the length.
  for (const limitMib of [5, 25]) rows.push(...(await measure(limitMib)));
  process.stdout.write(`load at the start: ${load}\n`);
  process.stdout.write(formatTable(rows));
  if (rows.some(isMissed)) process.exitCode = 1;
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
    const quiet: RequestResult[] = [];
    const during: RequestResult[] = [];
    const wrong: RequestResult[] = [];
    const forged: RequestResult[] = [];
    let residentBefore = 0;
    let residentPeak = 0;
    for (let round = 0; round < rounds; round += 1) {
      quiet.push(...(await sendValid(url, seconds)));
      residentBefore ||= await readResidentMib(api.pid);
      let isOver = false;
      const watch = (async () => {
        for (; !isOver; await pause(50)) residentPeak = Math.max(residentPeak, await readResidentMib(api.pid));
      })();
      const [valid, small, large] = await Promise.all([
        sendValid(url, seconds),
        runFlood({ url, wrongPerSecond, seconds, orgs }),
        runFlood({ url, forgedBodies, forgedBodyBytes }),
      ]);
      isOver = true;
      await watch;
      during.push(...valid);
      wrong.push(...small);
      forged.push(...large);
      onProgress(`limit ${limitMib} MiB: round ${round + 1} of ${rounds}`);
    }
    const statuses = { quiet, during, 'wrong signatures': wrong, [`bodies of ${forgedBodyBytes / mib} MiB`]: forged };
    for (const [what, sent] of Object.entries(statuses))
      process.stdout.write(`limit ${limitMib} MiB: ${what}: ${countStatuses(sent)}\n`);
    const refused = (sent: RequestResult[]) => sent.filter((result) => !isAccepted(result)).length;
    const accepted = (sent: RequestResult[]) => sent.filter(isAccepted).length;
    const compare = (q: number) => ({
      service: quantile(during, q),
      baseline: quantile(quiet, q),
      unit: 'ms' as const,
    });
    const rows: Row[] = [
      { what: 'p50 of valid deliveries', ...compare(0.5) },
      { what: 'p99 of valid deliveries (goal: at most 2×)', ...compare(0.99) },
      { what: 'growth of memory in MiB', service: residentPeak - residentBefore, unit: '', limit: growthMibMax },
      { what: 'valid deliveries refused', service: refused([...quiet, ...during]), unit: '', limit: 0 },
      { what: 'forged deliveries accepted', service: accepted([...wrong, ...forged]), unit: '', limit: 0 },
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

function isAccepted({ status }: RequestResult): boolean {
  return status >= 200 && status < 300;
}

function countStatuses(sent: RequestResult[]): string {
  const groups = Map.groupBy(sent, ({ status }) => status);
  return [...groups].map(([status, all]) => `${all.length} × ${status}`).join(', ');
}
