import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, inject, onTestFinished } from 'vitest';
import { ignoreNotFound } from '../../src/errors.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';
import { tellRegistryStory } from '../support/registries/registry-story.ts';
import { itWithRegistry } from '../support/servers/registry.ts';
import { installShipwrightCrds } from './cluster-backend.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { accountEnvironment, type Component, createChartAccounts } from './create-chart-account.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
let folder: string;

async function openAccountStore(component: Component): Promise<Store> {
  const { KUBECONFIG, ORG_CLUSTER_ROLE: orgRole, ZONE_CLUSTER_ROLE: zoneRole } = accountEnvironment(folder, component);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(KUBECONFIG);
  const account = { namespace: 'service-system', name: `service-${component}` };
  return await openKubernetesStore(kubeConfig, { orgRole, zoneRole, account });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'));
  await installShipwrightCrds(cluster);
  await createChartAccounts(cluster, { helm: inject('helm'), folder });
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

itWithRegistry('a private repo and registry work with the accounts of the chart and under its policy', async () => {
  const suffix = crypto.randomUUID().slice(0, 8);
  const zone = `hidden-${suffix}`;
  const org = `registries-${suffix}`;
  const stores = { api: await openAccountStore('api'), worker: await openAccountStore('worker') };
  const admin = await openClusterStore(cluster);
  onTestFinished(async () => {
    const ref = { namespace: systemNamespace, name: org };
    await admin.delete(OrganizationKind, ref).catch(ignoreNotFound);
    for (const store of [stores.api, stores.worker, admin]) await store.close();
    await kubectl(cluster, ['delete', 'namespace', '--wait=false', '--ignore-not-found', zone, orgNamespace(org)]);
  });
  await tellRegistryStory({ stores, admin, org, product: `shop-${suffix}`, zone });
});
