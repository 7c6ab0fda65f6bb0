import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { inject } from 'vitest';
import { createActivities, type ActivityDeps } from '../../activities/index.ts';
import { isProxied } from '../../src/integrations/dns/cloudflare.ts';
import { createDns } from '../../src/integrations/dns/create-dns.ts';
import { startTemporalServer } from '../../src/main/temporal/dev-server.ts';
import { readTemporalSettings } from '../../src/main/temporal/settings.ts';
import { tellObserved } from '../../src/main/tell-observed.ts';
import { workflowBundle } from '../../src/main/workflow-bundle.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { sweepDnsId } from '../../workflows/domains/messages.ts';
import { defaultTaskQueue } from '../../workflows/task-queues.ts';
import { addOrg, domainSettings, startApi, type StartedApi } from './start-api.ts';
import type {} from './temporal.ts';
import { replay } from './workflow-world.ts';

export type DomainWorld = StartedApi & {
  temporal: Client;
  /** Lets time pass for what is decided; nothing waits for it. */
  travel(ms: number): void;
  /** Back to the present. */
  comeBack(): void;
  close(): Promise<void>;
  /** What an operation answers. */
  call(path: string, method?: string, body?: unknown): Promise<{ status: number; body: Record<string, never> }>;
};

export type DomainWorldOptions = {
  /** Where questions go, as `address:port`; the port is that of all servers. */
  resolver: string;
  store?: Store;
  settings?: Partial<DomainSettings>;
  zoneServers?: { zone: string; server: string }[];
  /** How often the sweep asks. */
  sweepMs?: number;
};

/** The API, the loops and the sweep of domains as they really are, on a Temporal server of their own. */
export async function startDomainWorld(options: DomainWorldOptions): Promise<DomainWorld> {
  const { resolver, settings, zoneServers = [], sweepMs = 100 } = options;
  const store = options.store ?? openSqliteStore({ file: ':memory:' });
  const executable = inject('temporalExecutable') ?? '';
  const scratch = await mkdtemp(join(tmpdir(), 'domains-'));
  const logFile = join(scratch, 'temporal.log');
  const server = await startTemporalServer({ executable, settings: await readTemporalSettings(), logFile, port: 0 });
  const connection = await NativeConnection.connect({ address: server.address });
  const temporal = new Client({ connection });
  const closing: (() => Promise<void>)[] = [];
  let aheadMs = 0;
  const now = (): Date => new Date(Date.now() + aheadMs);
  const port = Number(resolver.split(':')[1]);
  const dns = createDns({ resolvers: [resolver], zoneServers, port, timeoutMs: 400, now });
  const domains = domainSettings(settings);
  const deps = { store, dns, domains, proxied: isProxied, tellObserved: tellObserved(temporal), now };
  const worker = await Worker.create({
    connection,
    taskQueue: defaultTaskQueue,
    workflowBundle: await workflowBundle(() => {}),
    activities: createActivities(deps as unknown as ActivityDeps),
    shutdownGraceTime: 0,
  });
  const running = worker.run();
  await temporal.workflow.start('sweepDns', {
    taskQueue: defaultTaskQueue,
    workflowId: sweepDnsId({ shard: 0 }),
    args: [{ shard: 0, paceMs: sweepMs }],
  });
  const close = async (): Promise<void> => {
    for (const one of closing) await one();
    await replay(await histories(temporal));
    worker.shutdown();
    await running;
    await dns.close();
    await connection.close();
    await server.close();
    if (!options.store) await store.close();
    await rm(scratch, { recursive: true, force: true });
  };
  const api = await startApi({ store, temporal, now, domains, whenDone: (one) => void closing.push(one) });
  await addOrg(store, 'other');
  await addOrg(store, 'platform');
  return {
    ...api,
    temporal,
    travel: (ms) => void (aheadMs += ms),
    comeBack: () => void (aheadMs = 0),
    close,
    async call(path, method = 'GET', body) {
      const response = await api.request(path, { method, ...(body !== undefined && { body }) });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    },
  };
}

/** What the workflows wrote has to replay. */
async function histories(temporal: Client) {
  const found = [];
  for await (const { workflowId, runId } of temporal.workflow.list())
    found.push({ workflowId, history: await temporal.workflow.getHandle(workflowId, runId).fetchHistory() });
  return found;
}
