import type { Client } from '@temporalio/client';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { runReconciler } from '../../../src/main/api/reconciler.ts';
import type { ReconcileDeps } from '../../../src/reconcile/deps.ts';
import { RestoreKind } from '../../../src/rules/backups/kinds.ts';
import { applyingMark } from '../../../src/reconcile/applying-mark.ts';
import { AccessGroupKind } from '../../../src/rules/access/kinds.ts';
import { CloudAccountKind } from '../../../src/rules/cloud-accounts/kinds.ts';
import { ClusterKind } from '../../../src/rules/clusters/kinds.ts';
import { acceptedGenerationAnnotation, isBeingApplied } from '../../../src/rules/conditions.ts';
import { DomainKind } from '../../../src/rules/domains/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { zoneReservationName } from '../../../src/rules/products/reservations.ts';
import { systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { createActiveRestore, createReconcileDeps } from '../../reconcile/reconcile-fixture.ts';
import { awsSpec } from '../../support/servers/test-cloud.ts';
import { createOrg } from '../../support/start-api.ts';

/** Starts the reconciler for the time of the test. */
function startReconciler(deps: ReconcileDeps, intervals?: Parameters<typeof runReconciler>[2]): void {
  const stop = new AbortController();
  const running = runReconciler({ ...deps, log: pino({ enabled: false }) }, stop.signal, intervals);
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
}

it('reconciles nothing while a restore is in progress', async () => {
  const { store, deps } = await createReconcileDeps();
  const endRestore = await createActiveRestore(store);
  const group = { namespace: 'org-acme', name: 'writers' };
  await store.create(AccessGroupKind, { metadata: group, spec: { name: 'writers', role: 'member', members: [] } });

  let reads = 0;
  const list: Store['list'] = async (kind, options) => {
    if (kind.kind === RestoreKind.kind && options?.namespace !== undefined) reads += 1;
    return await store.list(kind, options);
  };
  startReconciler({ ...deps, store: { ...store, list } }, { retryDelayMs: 20, laterDelayMs: 60_000 });
  const readConditions = async () => (await store.get(AccessGroupKind, group)).status?.conditions;
  await expect.poll(() => reads, { timeout: 10_000 }).toBeGreaterThan(5);
  expect(await readConditions()).toBeUndefined();
  await endRestore();
  await expect.poll(readConditions, { timeout: 10_000 }).toMatchObject([{ type: 'Accepted', status: 'True' }]);
});

it('starts a deletion that was accepted during an outage of the workflow server, however long that took', async () => {
  const { store, deps, calls } = await createReconcileDeps();
  let refused = 0;
  let isDown = true;
  const start = async (type: string, options: { workflowId: string }): Promise<void> => {
    if (!isDown) return void calls.push({ type, workflowId: options.workflowId });
    refused += 1;
    throw new ServiceError('workflow-server-unreachable', 'The workflow server cannot be reached.');
  };
  const temporal = {
    withDeadline: async (_deadline: number, call: () => Promise<unknown>) => await call(),
    workflow: { start },
  } as unknown as Client;
  const product = { namespace: 'org-acme', name: 'shop' };
  await store.create(ProductKind, {
    metadata: { ...product, annotations: { [acceptedGenerationAnnotation]: '1' } },
    spec: { repos: [], delivery: { zones: [] } },
  });
  await store.updateStatus(ProductKind, product, () => ({ deletionMessage: 'its zones are being removed' }));
  startReconciler({ ...deps, temporal }, { retryDelayMs: 1, laterDelayMs: 100 });
  await expect.poll(() => refused).toBeGreaterThanOrEqual(5);
  expect(calls).toEqual([]);
  isDown = false;
  await expect.poll(() => calls).toContainEqual({ type: 'deleteProduct', workflowId: 'delete-product/acme/shop' });
});

it('applies a spec that another process has saved, when that has not done so for a minute', async () => {
  const { store, deps, calls } = await createReconcileDeps();
  const product = { namespace: 'org-acme', name: 'shop' };
  const savedAt = new Date('2027-01-01T00:00:00Z');
  await store.create(ProductKind, {
    metadata: { ...product, annotations: { [acceptedGenerationAnnotation]: '1', ...applyingMark(savedAt) } },
    spec: { repos: [], delivery: { zones: [{ name: 'shop-rc' }] } },
  });
  await store.updateStatus(ProductKind, product, () => ({
    zones: [{ name: 'shop-rc', appliedSettings: { hosts: [] } as never }],
  }));
  let looks = 0;
  let passedMs = 0;
  const now = (): Date => {
    looks += 1;
    return new Date(savedAt.getTime() + passedMs);
  };
  startReconciler({ ...deps, now }, { retryDelayMs: 1, laterDelayMs: 10 });
  await expect.poll(() => looks).toBeGreaterThan(5);
  expect(calls).toEqual([]);
  passedMs = 60_000;
  await expect
    .poll(() => calls)
    .toContainEqual({
      type: 'manageZone',
      workflowId: 'manage-zone/acme/shop/shop-rc',
      signal: 'applySettings',
    });
  await expect.poll(async () => isBeingApplied(await store.get(ProductKind, product))).toBe(false);
});

it('reconciles what was applied before the resource of another namespace that it needs', async () => {
  const { store, deps } = await createReconcileDeps();
  const account = { namespace: 'org-later', name: 'prod' };
  await store.create(CloudAccountKind, { metadata: account, spec: awsSpec });
  const addresses = [{ name: 'shop', domain: 'shared.example.com' }];
  const zones = {
    far: { name: 'far-rc', cluster: 'added' },
    near: { name: 'near-rc', addresses },
  };
  for (const [name, zone] of Object.entries(zones))
    await store.create(ProductKind, {
      metadata: { namespace: 'org-acme', name },
      spec: { repos: [], delivery: { zones: [zone] } },
    });
  startReconciler(deps);
  const readStates = async () => {
    const products = ['far', 'near'].map(async (name) => store.get(ProductKind, { namespace: 'org-acme', name }));
    const objects = [await store.get(CloudAccountKind, account), ...(await Promise.all(products))];
    return objects.map(({ status }) => status?.conditions?.find(({ type }) => type === 'Accepted')?.status);
  };
  await expect.poll(readStates, { timeout: 10_000 }).toEqual(['False', 'False', 'False']);

  await createOrg(store, 'later');
  await expect.poll(readStates, { timeout: 10_000 }).toEqual(['True', 'False', 'False']);
  await store.create(ClusterKind, { metadata: { namespace: systemNamespace, name: 'added' }, spec: {} });
  await expect.poll(readStates, { timeout: 10_000 }).toEqual(['True', 'True', 'False']);
  const domain = { namespace: 'org-platform', name: 'shared.example.com' };
  const annotations = { [acceptedGenerationAnnotation]: '1' };
  const spec = { name: domain.name, kind: 'external' as const, shared: true, token: 't' };
  await store.create(DomainKind, { metadata: { ...domain, annotations }, spec });
  await store.updateStatus(DomainKind, domain, () => ({
    state: 'Verified' as const,
    claimedAt: '2027-01-01T00:00:00Z',
  }));
  await expect.poll(readStates, { timeout: 10_000 }).toEqual(['True', 'True', 'True']);
});

it('leaves alone what is in a namespace of others, which names no org', async () => {
  const { store, deps } = await createReconcileDeps();
  const spec = { repos: [], delivery: { zones: [{ name: 'foreign-rc' }] } };
  // The end of the namespace is the name of an org, and its name comes before those of orgs.
  const foreign = await store.create(ProductKind, { metadata: { namespace: 'foo-acme', name: 'foreign' }, spec });
  const own = { namespace: 'org-acme', name: 'shop' };
  await store.create(ProductKind, { metadata: own, spec: { repos: [], delivery: { zones: [] } } });
  startReconciler(deps);
  const readConditions = async () => (await store.get(ProductKind, own)).status?.conditions;
  await expect.poll(readConditions, { timeout: 10_000 }).toMatchObject([{ type: 'Accepted', status: 'True' }]);
  expect(await store.get(ProductKind, foreign.metadata)).toEqual(foreign);
  const reservation = { namespace: systemNamespace, name: zoneReservationName('foreign-rc') };
  expect(await store.find(ConfigMapKind, reservation)).toBeUndefined();
});
