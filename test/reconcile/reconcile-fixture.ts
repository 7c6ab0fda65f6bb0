import { setImmediate } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { loadConfig } from '../../src/config.ts';
import type { Quotas } from '../../src/rules/quotas.ts';
import type { ReconcileDeps } from '../../src/reconcile/deps.ts';
import { RestoreKind } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
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

/** Creates a restore that writes resources. Returns a function that ends it. */
export async function createActiveRestore(store: Store): Promise<() => Promise<void>> {
  const ref = { namespace: systemNamespace, name: 'restore-1' };
  const spec = { startedBy: 'ada@example.com', backup: 'backup-20260101120000-1a2b3c4d' };
  await store.create(RestoreKind, { metadata: ref, spec });
  const setPhase = async (phase: 'Restoring' | 'Succeeded'): Promise<void> =>
    void (await store.updateStatus(RestoreKind, ref, () => ({ phase, startedAt: '2026-01-01T12:00:00Z' })));
  await setPhase('Restoring');
  return async () => await setPhase('Succeeded');
}
