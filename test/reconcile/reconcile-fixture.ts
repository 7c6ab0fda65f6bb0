import { setImmediate } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { loadConfig } from '../../src/config.ts';
import type { Quotas } from '../../src/rules/quotas.ts';
import type { ReconcileDeps } from '../../src/reconcile/deps.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { buildDomainSettings, createOrg } from '../support/start-api.ts';

type Call = { type: string; workflowId: string; signal?: string; by?: string };
type StartOptions = { workflowId: string; args?: readonly { by?: string }[]; signal?: { name: string } };

/** Creates dependencies with the org "acme" and a Temporal client that records its calls instead of sending them. */
export async function createReconcileDeps(quotas: Partial<Quotas> = {}) {
  const store = openTestStore();
  await createOrg(store, 'acme');
  const calls: Call[] = [];
  const record = async (type: string, { workflowId, args, signal }: StartOptions) => {
    // The server answers later, so a call that is not awaited comes too late.
    await setImmediate();
    const by = args?.[0]?.by;
    calls.push({ type, workflowId, ...(signal && { signal: signal.name }), ...(by !== undefined && { by }) });
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { start: record, signalWithStart: record },
  } as unknown as Client;
  const deps: ReconcileDeps = {
    store,
    temporal,
    now: () => new Date('2027-01-01T00:00:00Z'),
    config: {
      zoneAddress: (zone) => `http://${zone}.localhost:8081`,
      domains: buildDomainSettings(),
      workloadClusters: ['apart'],
      quotas: { ...loadConfig({}).quotas, ...quotas },
      agentNetwork: 'public',
      metricsRetentionMs: loadConfig({}).metricsRetentionMs,
    },
  };
  return { ...deps, deps, calls };
}
