import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { inject } from 'vitest';
import { createActivities, type ActivityDeps } from '../../../activities/index.ts';
import { isCloudflareAddress } from '../../../src/integrations/dns/is-cloudflare-address.ts';
import { createDns } from '../../../src/integrations/dns/create-dns.ts';
import { startTemporalServer } from '../../../src/main/temporal/start-temporal-server.ts';
import { readTemporalSettings } from '../../../src/main/temporal/read-temporal-settings.ts';
import { notifyDomainWorkflow } from '../../../src/main/worker/notify-domain-workflow.ts';
import { buildWorkflowBundle } from '../../../src/main/worker/build-workflow-bundle.ts';
import { createTaskWorkers } from '../../../src/main/worker/create-task-workers.ts';
import type { DomainSettings } from '../../../src/rules/domains/kinds.ts';
import { openMemoryStore } from '../open-test-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { sweepDnsStart } from '../../../workflows/domains/messages.ts';
import { createOrg, buildDomainSettings, startApi, type ApiHarness } from '../start-api.ts';
import type {} from '../global-setup/temporal.ts';
import { replayHistories } from './workflow-harness.ts';

export type DomainHarness = ApiHarness & {
  temporal: Client;
  /** Moves the clock of decisions forward; timers do not follow it. */
  advanceTime(ms: number): void;
  /** Sets the clock to the current time. */
  resetTime(): void;
  close(): Promise<void>;
  /** Calls an API operation and returns its response. */
  callApi(path: string, method?: string, body?: unknown): Promise<{ status: number; body: Record<string, never> }>;
};

export type DomainHarnessOptions = {
  /** The DNS resolver as `address:port`; all servers use the same port. */
  resolver: string;
  store?: Store;
  settings?: Partial<DomainSettings>;
  zoneServers?: { dnsZone: string; server: string }[];
  sweepIntervalMs?: number;
};

/** Runs the real API, domain workflows and sweep on a separate Temporal server. */
export async function startDomainHarness(options: DomainHarnessOptions): Promise<DomainHarness> {
  const { resolver, settings, zoneServers = [], sweepIntervalMs = 100 } = options;
  const store = options.store ?? openMemoryStore();
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
  // The name servers of the tests listen on loopback, and answer late on a busy machine.
  const allowedInside = [{ range: '127.0.0.0/8' }];
  const timeouts = { timeoutMs: 30_000, lookupTimeoutMs: 30_000 };
  const dns = createDns({ resolvers: [resolver], zoneServers, port, ...timeouts, allowedInside, now });
  const domains = buildDomainSettings(settings);
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
  const sweep = sweepDnsStart({ shard: 0, intervalMs: sweepIntervalMs });
  await temporal.workflow.start(sweep.type, sweep.options);
  const close = async (): Promise<void> => {
    for (const one of closing) await one();
    await replayHistories(await fetchHistories(temporal));
    for (const worker of workers) worker.shutdown();
    await running;
    await dns.close();
    await connection.close();
    await server.close();
    if (!options.store) await store.close();
    await rm(scratch, { recursive: true, force: true });
  };
  const api = await startApi({ store, temporal, now, domains, onCleanup: (one) => void closing.push(one) });
  await createOrg(store, 'other');
  await createOrg(store, 'platform');
  return {
    ...api,
    temporal,
    advanceTime: (ms) => void (aheadMs += ms),
    resetTime: () => void (aheadMs = 0),
    close,
    async callApi(path, method = 'GET', body) {
      const response = await api.request(path, { method, ...(body !== undefined && { body }) });
      return { status: response.status, body: (await response.json()) as Record<string, never> };
    },
  };
}

/** Fetches all histories for the replay at the end of a test. */
async function fetchHistories(temporal: Client) {
  const found = [];
  for await (const { workflowId, runId } of temporal.workflow.list())
    found.push({ workflowId, history: await temporal.workflow.getHandle(workflowId, runId).fetchHistory() });
  return found;
}
