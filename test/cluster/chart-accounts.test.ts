import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { readParts } from '../../activities/backups/parts.ts';
import { saveCloneSecret, saveGitopsCredentials } from '../../activities/codehost/git-credentials.ts';
import { ensureOrgProject } from '../../activities/environments/org-project.ts';
import {
  saveOrgPushSecret,
  savePullSecret,
  savePushSecret,
  toPullConfig,
} from '../../activities/environments/registry-credentials.ts';
import { saveZoneHosts } from '../../activities/environments/save-zone-hosts.ts';
import { deleteZoneNamespace, ensureZoneNamespace } from '../../activities/environments/zone-namespace.ts';
import { createIncidentActivities } from '../../activities/incidents/incident-activities.ts';
import { buildAccount, isolateBuilds } from '../../activities/releases/isolate-builds.ts';
import { loadConfig } from '../../src/config.ts';
import { readArchive } from '../../src/integrations/backups/read-archive.ts';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import {
  type Application,
  ApplicationKind,
  AppProjectKind,
  ownCluster,
  repositorySecretLabels,
} from '../../src/kinds/argo-cd.ts';
import {
  ConfigMapKind,
  NamespaceKind,
  PodKind,
  readSecretText,
  type Secret,
  SecretKind,
  ServiceAccountKind,
} from '../../src/kinds/kubernetes.ts';
import { toPodMonitorSpec } from '../../src/emulators/cluster/pod-monitor.ts';
import { AlertmanagerConfigKind, PodMonitorKind } from '../../src/kinds/prometheus-operator.ts';
import { ensureAlertToken } from '../../src/main/api/ensure-alert-token.ts';
import { createClusterTelemetry } from '../../src/main/wiring/telemetry/cluster-telemetry.ts';
import { BackupKind, backupKeySecret } from '../../src/rules/backups/kinds.ts';
import { orgProjectSpec } from '../../src/rules/environments/org-project.ts';
import { zoneNamespaceLabels } from '../../src/rules/environments/zone-namespace.ts';
import { IncidentKind } from '../../src/rules/incidents/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../src/rules/registries/registries-secret.ts';
import type { Kind, StoredObject } from '../../src/rules/resource.ts';
import { connectApiServer } from '../../src/store/kubernetes/api-server.ts';
import { listRegistries } from '../../src/store/registries.ts';
import { createIncident } from '../../src/store/record-alert.ts';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';
import { at, backup, createBackupKey, createInstallation } from '../activities/backups/backup-fixture.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { loadKubeConfigFile } from './open-cluster-store.ts';
import { accountEnvironment, type Component, components, createChartAccounts } from './create-chart-account.ts';

const cluster = inject('cluster');
const { network } = loadConfig({});
const suffix = crypto.randomUUID().slice(0, 8);
const org = `chart-${suffix}`;
const namespace = `org-${org}`;
const zone = `zone-${suffix}`;
const tenant = `tenant-${suffix}`;
const stranger = `org-stranger-${suffix}`;
const owner = { org, product: 'hello', zone, uid: 'u1' };
const repo = { argoCdNamespace: 'argocd', repoUrl: 'https://code.test/acme/gitops.git' };
const stores = {} as Record<Component, Store>;
let folder: string;

const none = async () => [];
const admin = async (...args: string[]): Promise<string> => await kubectl(cluster, args);
const asAccount = async (component: Component, args: string[], input?: string): Promise<string> => {
  const { KUBECONFIG } = accountEnvironment(folder, component);
  return await kubectl({ kubectl: cluster.kubectl, kubeconfig: KUBECONFIG }, args, input);
};

function readAccount(component: Component) {
  const { KUBECONFIG, ORG_CLUSTER_ROLE: orgRole, ZONE_CLUSTER_ROLE: zoneRole } = accountEnvironment(folder, component);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(KUBECONFIG);
  const account = { namespace: 'service-system', name: `service-${component}` };
  return { kubeConfig, roles: { orgRole, zoneRole, account } };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'accounts-'));
  await createChartAccounts(cluster, { helm: inject('helm'), folder });
  for (const component of components) {
    const { kubeConfig, roles } = readAccount(component);
    stores[component] = await openKubernetesStore(kubeConfig, roles);
  }
  for (const name of [tenant, stranger]) {
    await admin('create', 'namespace', name);
    await admin('create', 'secret', 'generic', 'theirs', '--from-literal=key=value', '-n', name);
  }
});
afterAll(async () => {
  await Promise.all(Object.values(stores).map(async (store) => await store.close()));
  await admin('delete', 'namespace', '--wait=false', '--ignore-not-found', tenant, stranger, zone, namespace);
  await rm(folder, { recursive: true, force: true });
});

const application = (spec: Partial<Application['spec']> = {}) => ({
  metadata: { namespace, name: zone },
  spec: {
    project: namespace,
    source: { repoURL: repo.repoUrl, targetRevision: 'main', path: '.' },
    destination: { server: ownCluster, namespace: zone },
    ...spec,
  },
});

it('the API creates the namespace of an org, which only allows unprivileged pods', async () => {
  const { api } = stores;
  const spec = { codehostAccount: org, gitopsRepo: `${org}/gitops` };
  await api.create(OrganizationKind, { metadata: { namespace: 'service-system', name: org }, spec });
  // A missing object is not a permission error.
  expect(await api.find(SecretKind, { namespace, name: 'codehost-app' })).toBeUndefined();
  await api.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, data: {} });
  await api.create(SecretKind, { metadata: { namespace, name: 'of-the-api' }, data: {} });
  const zones = [{ name: zone, promotionPolicy: 'automatic' as const }];
  const metadata = { namespace, name: `hello-${suffix}` };
  await api.create(ProductKind, { metadata, spec: { repos: [`${org}/hello`], delivery: { zones } } });
  const named = await api.list(SecretKind, { fields: { 'metadata.name': 'codehost-app' } });
  expect(named.items.map((secret) => secret.metadata.namespace)).toContain(namespace);
  expect(await api.find(NamespaceKind, { namespace: '', name: namespace })).toMatchObject({
    metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
});

it('the worker creates and deletes the namespace of a zone, and deploys to it', async () => {
  const { worker } = stores;
  await ensureZoneNamespace(worker, owner, { network, access: 'public' });
  await isolateBuilds(worker, org, network);
  await ensureOrgProject(worker, { org, zone, ...repo });
  const project = await worker.get(AppProjectKind, { namespace: 'argocd', name: namespace });
  expect(project.spec.destinations).toEqual([{ server: ownCluster, namespace: zone }]);
  await worker.create(ApplicationKind, application());
  expect((await worker.list(PodKind, { namespace: zone })).items).toEqual([]);
  await worker.delete(ApplicationKind, { namespace, name: zone });
  await worker.updateStatus(ProductKind, { namespace, name: `hello-${suffix}` }, () => ({ zones: [] }) as never);

  const { kubeConfig, roles } = readAccount('api');
  const telemetry = createClusterTelemetry({ kubeConfig, namespaceAccess: roles, prometheus: undefined });
  expect(await telemetry.queryLogs(zone, { tailLines: 10 })).toEqual([]);
  await telemetry.close();
  await deleteZoneNamespace(worker, owner);
  const removed = await worker.find(NamespaceKind, { namespace: '', name: zone });
  expect(removed === undefined || removed.metadata.deletionTimestamp !== undefined).toBe(true);
});

it('agents and browsers read and write only what they need', async () => {
  const { agents, browser } = stores;
  const rootUser = { namespace: 'service-system', name: 'root-user' };
  for (const store of [agents, browser]) {
    // Another file may create it; the API server refuses an account that may not read it, also before.
    await expect(store.find(ConfigMapKind, rootUser)).resolves.not.toThrow();
    expect(await store.find(ProductKind, { namespace, name: `hello-${suffix}` })).toBeDefined();
  }
  expect(await agents.find(SecretKind, { namespace, name: 'codehost-app' })).toBeDefined();
  await browser.updateStatus(ProductKind, { namespace, name: `hello-${suffix}` }, () => ({ zones: [] }) as never);
  await agents.create(ConfigMapKind, { metadata: { namespace, name: 'artifact' }, data: {} });
  await expect(asAccount('agents', ['get', 'secret', 'of-the-api', '-n', namespace])).rejects.toThrow(/forbidden/i);
  await expect(asAccount('browser', ['get', 'secret', 'codehost-app', '-n', namespace])).rejects.toThrow(/forbidden/i);
});

it('backups read all that an archive contains, and restore it to the namespaces of orgs and zones', async () => {
  const store = stores.backups;
  const installation = await createInstallation({ store });
  const recoveryKey = await createBackupKey(installation);
  onTestFinished(async () => {
    await store.delete(SecretKind, backupKeySecret);
    for (const { metadata } of (await store.list(BackupKind, { namespace: 'service-system' })).items)
      await store.delete(BackupKind, metadata);
  });
  await installation.run(async ({ openBackup, writeBackup }) => {
    await openBackup({ backup, startedBy: 'root@example.com', at });
    await writeBackup({ backup });
  });
  const names: string[] = [];
  const parts = readParts(installation.backups, { backup });
  await readArchive({ recoveryKey, parts }, async ({ name }) => void names.push(name));
  expect(names).toContain(`objects/Secret/${namespace}/of-the-api.json`);

  const restored = { org: `back-${suffix}`, namespace: `org-back-${suffix}`, zone: `back-${suffix}` };
  onTestFinished(async () => {
    await admin('delete', 'namespace', '--wait=false', '--ignore-not-found', restored.namespace, restored.zone);
  });
  const toObject = <T extends StoredObject>({ apiVersion, kind }: Kind<T>, object: object): T =>
    ({ apiVersion, kind, ...object }) as T;
  const uid = crypto.randomUUID();
  const secret = toObject(SecretKind, {
    metadata: { namespace: restored.namespace, name: 'codehost-app', uid },
    data: {},
  });
  expect(await store.restore(SecretKind, secret)).toMatchObject({ metadata: { namespace: restored.namespace } });
  const labels = zoneNamespaceLabels({ ...owner, zone: restored.zone });
  const ofZone = toObject(NamespaceKind, { metadata: { namespace: '', name: restored.zone, uid, labels } });
  expect(await store.restore(NamespaceKind, ofZone)).toMatchObject({ metadata: { name: restored.zone } });
  const deployed = toObject(ApplicationKind, {
    ...application({ project: restored.namespace, destination: { server: ownCluster, namespace: restored.zone } }),
    metadata: { namespace: restored.namespace, name: restored.zone, uid },
    status: { sync: { status: 'Synced' } },
  });
  expect(await store.restore(ApplicationKind, deployed)).toMatchObject({ metadata: { name: restored.zone } });
  await expect(asAccount('backups', ['get', 'secret', 'theirs', '-n', tenant])).rejects.toThrow(/forbidden/i);
});

type Access = [
  component: Component,
  verb: string,
  resource: string,
  where: 'org' | 'system' | 'tenant' | 'zone' | 'argocd' | 'cluster',
];
const access: { allowed: Access[]; denied: Access[] } = {
  allowed: [
    ['api', 'create', 'secrets', 'org'],
    ['api', 'get', 'secrets', 'system'],
    ['api', 'list', 'users.service.delivery', 'cluster'],
    ['worker', 'create', 'applications.argoproj.io', 'org'],
    ['worker', 'create', 'buildruns.shipwright.io', 'org'],
    ['worker', 'update', 'serviceaccounts:builds', 'org'],
    ['worker', 'update', 'serviceaccounts:builds-org', 'org'],
    ['worker', 'create', 'dnsendpoints.externaldns.k8s.io', 'system'],
    ['worker', 'delete', 'namespaces', 'cluster'],
    ['worker', 'list', 'clusters.service.delivery', 'system'],
    ['worker', 'get', 'secrets:workload-clusters', 'system'],
    ['worker', 'get', 'secrets:image-registry', 'system'],
    ['api', 'update', 'secrets:cloud-identity', 'system'],
    ['api', 'update', 'cloudaccounts.service.delivery/status', 'org'],
    ['agents', 'create', 'turnledgers.service.delivery', 'org'],
    ['browser', 'update', 'releases.service.delivery/status', 'org'],
    ['worker', 'list', 'installations.service.delivery', 'system'],
    ['worker', 'list', 'restores.service.delivery', 'system'],
    ['browser', 'get', 'installations.service.delivery', 'system'],
    ['backups', 'list', 'secrets', 'system'],
    ['backups', 'create', 'dnsendpoints.externaldns.k8s.io', 'system'],
    ['backups', 'create', 'applications.argoproj.io', 'org'],
  ],
  denied: [
    ['api', 'create', 'applications.argoproj.io', 'org'],
    ['api', 'create', 'buildruns.shipwright.io', 'org'],
    ['api', 'delete', 'namespaces', 'cluster'],
    ['worker', 'get', 'secrets', 'system'],
    ['worker', 'list', 'secrets', 'org'],
    ['worker', 'get', 'secrets', 'argocd'],
    ['worker', 'get', 'serviceaccounts:default', 'org'],
    ['worker', 'create', 'serviceaccounts', 'system'],
    ['worker', 'create', 'serviceaccounts', 'zone'],
    ['worker', 'list', 'secrets', 'argocd'],
    ['worker', 'delete', 'secrets', 'argocd'],
    ['worker', 'delete', 'secrets', 'org'],
    ['worker', 'get', 'configmaps:other', 'zone'],
    ['worker', 'create', 'secrets', 'system'],
    ['worker', 'update', 'clusters.service.delivery', 'system'],
    ['worker', 'update', 'installations.service.delivery', 'system'],
    ['browser', 'update', 'installations.service.delivery', 'system'],
    ['worker', 'update', 'secrets:workload-clusters', 'system'],
    ['worker', 'update', 'secrets:image-registry', 'system'],
    ['worker', 'get', 'secrets:cloud-identity', 'system'],
    ['agents', 'get', 'secrets:cloud-identity', 'system'],
    ['browser', 'get', 'secrets:cloud-identity', 'system'],
    ['agents', 'get', 'secrets:workload-clusters', 'system'],
    ['agents', 'get', 'secrets:image-registry', 'system'],
    ['browser', 'get', 'secrets:workload-clusters', 'system'],
    ['agents', 'create', 'secrets', 'org'],
    ['browser', 'create', 'secrets', 'org'],
    ['worker', 'get', 'users.service.delivery', 'system'],
    ['worker', 'list', 'apitokens.service.delivery', 'cluster'],
    ['agents', 'get', 'namespaces', 'cluster'],
    ['agents', 'list', 'secrets', 'org'],
    ['agents', 'get', 'secrets', 'system'],
    ['agents', 'update', 'configmaps', 'system'],
    ['agents', 'create', 'applications.argoproj.io', 'org'],
    ['agents', 'update', 'products.service.delivery', 'org'],
    ['agents', 'list', 'products.service.delivery', 'cluster'],
    ['browser', 'get', 'secrets', 'org'],
    ['browser', 'update', 'releases.service.delivery', 'org'],
    ['browser', 'get', 'agentworkflowruns.service.delivery', 'org'],
    ['browser', 'get', 'namespaces', 'cluster'],
    ['backups', 'delete', 'namespaces', 'cluster'],
    ['backups', 'get', 'secrets', 'argocd'],
    ['backups', 'get', 'secrets', 'zone'],
    ['backups', 'create', 'buildruns.shipwright.io', 'org'],
    ...components.flatMap((component): Access[] => [
      [component, 'create', 'pods', 'org'],
      [component, 'create', 'serviceaccounts/token', 'org'],
      [component, 'create', 'pods/exec', 'zone'],
      [component, 'create', 'clusterroles.rbac.authorization.k8s.io', 'cluster'],
      [component, 'create', 'clusterrolebindings.rbac.authorization.k8s.io', 'cluster'],
      [component, 'get', 'nodes', 'cluster'],
      [component, 'get', 'secrets', 'tenant'],
      [component, 'create', 'configmaps', 'tenant'],
      [component, 'list', 'pods', 'tenant'],
      [component, 'create', 'applications.argoproj.io', 'tenant'],
      [component, 'update', 'namespaces', 'cluster'],
    ]),
  ],
};

it('gives each process the permissions that it needs, and no others', async () => {
  const namespaces = { org: namespace, system: 'service-system', tenant, zone, argocd: 'argocd', cluster: undefined };
  const server = connectApiServer(loadKubeConfigFile(cluster));
  onTestFinished(async () => await server.close());
  /** Asks as `kubectl auth can-i` does. */
  const isAllowed = async ([component, verb, kind, where]: Access): Promise<boolean> => {
    const [typed = '', name] = kind.split(':');
    const [qualified = '', subresource] = typed.split('/');
    const [resource, ...groups] = qualified.split('.');
    const namespaced = { namespace: namespaces[where], name };
    const resourceAttributes = { verb, resource, subresource, group: groups.join('.'), ...namespaced };
    const user = `system:serviceaccount:service-system:service-${component}`;
    const spec = { user, groups: ['system:serviceaccounts', 'system:authenticated'], resourceAttributes };
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const { status } = await server.request<{ status: { allowed: boolean } }>({ method: 'POST', path, body: { spec } });
    return status.allowed;
  };
  const select = async (questions: Access[], allowed: boolean) => {
    const answers = await Promise.all(questions.map(isAllowed));
    return questions.filter((_, index) => answers[index] === allowed).map((question) => question.join(' '));
  };
  expect(await select(access.allowed, false)).toEqual([]);
  expect(await select(access.denied, true)).toEqual([]);
});

it.each([
  ['a tenant’s namespace', () => tenant],
  ['a namespace that is named like an org’s', () => stranger],
])('has no access to a namespace that the service did not create: %s', async (_, getName) => {
  const name = getName();
  for (const component of components) {
    await expect(asAccount(component, ['get', 'secret', 'theirs', '-n', name])).rejects.toThrow(/forbidden/i);
    await expect(stores[component].find(SecretKind, { namespace: name, name: 'codehost-app' })).rejects.toThrow(
      'Grant the service account the missing permission',
    );
  }
  await expect(stores.worker.delete(NamespaceKind, { namespace: '', name })).rejects.toThrow(
    'can delete only namespaces of orgs and zones',
  );
});

it('deletes the namespace and the project of an org that is deleted, and no other project', async () => {
  const { api, worker } = stores;
  const deleted = `deleted-${suffix}`;
  const ref = { namespace: `org-${deleted}`, name: 'settings' };
  await api.create(ConfigMapKind, { metadata: ref });
  await ensureOrgProject(worker, { org: deleted, ...repo });
  await worker.delete(AppProjectKind, { namespace: 'argocd', name: ref.namespace });
  const foreign = { metadata: { namespace: 'argocd', name: `foreign-${suffix}` } };
  const { apiVersion, kind } = AppProjectKind;
  const spec = { sourceRepos: [], destinations: [] };
  await kubectl(cluster, ['create', '-f', '-'], JSON.stringify({ apiVersion, kind, ...foreign, spec }));
  await expect(worker.delete(AppProjectKind, foreign.metadata)).rejects.toThrow('can write only the projects of orgs');
  await expect.poll(async () => await worker.deleteNamespace(ref.namespace), { timeout: 60_000 }).toEqual([]);
  await expect(worker.deleteNamespace(tenant)).rejects.toThrow('The service did not create the namespace');
  // An org of the name can be created again at once.
  await api.create(ConfigMapKind, { metadata: ref });
  expect(await worker.find(ConfigMapKind, ref)).toBeDefined();
  await worker.deleteNamespace(ref.namespace);
});

it('cannot bind roles elsewhere, roles of other processes, or to other accounts', async () => {
  const bind = async (component: Component, role: string, where: string, account = `service-${component}`) =>
    await asAccount(component, [
      'create',
      'rolebinding',
      `b-${suffix}`,
      `--clusterrole=${role}`,
      `--serviceaccount=service-system:${account}`,
      '-n',
      where,
    ]);
  const elsewhere = /bind roles only in the namespaces of its orgs and zones/;
  for (const component of components) {
    for (const where of [tenant, stranger, 'service-system'])
      await expect(bind(component, `service-${component}-org`, where)).rejects.toThrow(elsewhere);
    await expect(bind(component, 'cluster-admin', namespace)).rejects.toThrow(/forbidden/i);
  }
  await expect(bind('agents', 'service-api-org', namespace)).rejects.toThrow(/forbidden/i);
  await expect(bind('api', 'service-api-zone', tenant)).rejects.toThrow(elsewhere);
  await expect(bind('api', 'service-api-org', namespace, 'service-agents')).rejects.toThrow(/only to itself/);
});

it('cannot create namespaces without the labels that the service gives them', async () => {
  const { api, worker } = stores;
  const create = async (store: Store, name: string, labels: Record<string, string>) =>
    await store.create(NamespaceKind, { metadata: { namespace: '', name, labels } });
  const refused = /create only namespaces of orgs and zones, with their labels/;
  const name = `free-${suffix}`;
  const labels = zoneNamespaceLabels({ ...owner, zone: name });
  await expect(create(worker, name, {})).rejects.toThrow(refused);
  await expect(create(worker, name, { ...labels, 'pod-security.kubernetes.io/enforce': 'privileged' })).rejects.toThrow(
    refused,
  );
  await expect(create(worker, name, zoneNamespaceLabels(owner))).rejects.toThrow(refused);
  await expect(create(worker, `org-${name}`, { ...labels, 'service.delivery/zone': `org-${name}` })).rejects.toThrow(
    refused,
  );
  await expect(create(api, name, labels)).rejects.toThrow(refused);
  await expect(create(stores.agents, name, labels)).rejects.toThrow('missing permission');
});

it('lets cert-manager answer the challenges of the addresses of a zone', async () => {
  const solved = `solved-${suffix}`;
  const labels = zoneNamespaceLabels({ ...owner, zone: solved });
  await stores.worker.create(NamespaceKind, { metadata: { namespace: '', name: solved, labels } });
  onTestFinished(async () => void (await admin('delete', 'namespace', solved, '--wait=false')));
  const backend = { service: { name: 'cm-acme-http-solver-1', port: { number: 8089 } } };
  const path = { path: '/.well-known/acme-challenge/token', pathType: 'Exact', backend };
  const create = async (kind: string, spec: object, annotations: Record<string, string> = {}) => {
    const apiVersion = kind === 'Service' ? 'v1' : 'networking.k8s.io/v1';
    const metadata = { name: 'cm-acme-http-solver-1', namespace: solved, annotations };
    const object = JSON.stringify({ apiVersion, kind, metadata, spec });
    return await kubectl(cluster, ['create', '--dry-run=server', '--filename=-'], object);
  };
  const createIngress = async (range: string) =>
    await create(
      'Ingress',
      { rules: [{ host: 'shop.example.com', http: { paths: [path] } }] },
      { 'kubernetes.io/ingress.class': 'nginx', 'nginx.ingress.kubernetes.io/whitelist-source-range': range },
    );
  await saveZoneHosts(stores.worker, solved, ['shop.example.com']);
  expect(await create('Service', { type: 'ClusterIP', ports: [{ port: 8089 }] })).toContain('created');
  // The policies, and the hosts that they read, take effect a moment after they were applied.
  await expect.poll(async () => await createIngress('0.0.0.0/0,::/0').catch(String)).toContain('created');
  await expect.poll(async () => await createIngress('192.0.2.0/24').catch(String)).toMatch(/restrict-zones.*denied/);
});

it('keeps what a gitops repo deploys from the hosts of other zones', async () => {
  const own = `own-${suffix}`;
  const labels = zoneNamespaceLabels({ ...owner, zone: own });
  await stores.worker.create(NamespaceKind, { metadata: { namespace: '', name: own, labels } });
  onTestFinished(async () => void (await admin('delete', 'namespace', own, '--wait=false')));
  const create = async (spec: object): Promise<string> => {
    const metadata = { name: 'pushed', namespace: own };
    const object = JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec });
    return await kubectl(cluster, ['create', '--dry-run=server', '--filename=-'], object).catch(String);
  };
  const backend = { service: { name: 'shop', port: { name: 'http' } } };
  const toRules = (...hosts: string[]) =>
    hosts.map((host) => ({ host, http: { paths: [{ path: '/login', pathType: 'Prefix', backend }] } }));
  const mine = `${own}.apps.test`;
  // Before the service has saved the hosts of a zone, it has no routes.
  await expect.poll(async () => await create({ rules: toRules(mine) })).toMatch(/restrict-hosts.*denied/);
  await saveZoneHosts(stores.worker, own, [mine, 'shop.example.com']);
  await expect.poll(async () => await create({ rules: toRules(mine, 'shop.example.com') })).toContain('created');
  for (const spec of [
    { rules: toRules('shop-prod.apps.test') },
    { rules: toRules(mine, 'shop-prod.apps.test') },
    { rules: toRules('*.apps.test') },
    { rules: toRules(mine), tls: [{ hosts: [mine, 'shop-prod.apps.test'], secretName: 'theirs' }] },
  ])
    expect(await create(spec)).toMatch(/can have only the hosts of the zone/);
});

it('keeps the metrics that a gitops repo collects to the pods and the names of its zone', async () => {
  const measured = `measured-${suffix}`;
  const labels = zoneNamespaceLabels({ ...owner, zone: measured });
  await stores.worker.create(NamespaceKind, { metadata: { namespace: '', name: measured, labels } });
  onTestFinished(async () => void (await admin('delete', 'namespace', measured, '--wait=false')));
  const spec = toPodMonitorSpec({ namespace: measured, name: 'shop' });
  const [endpoint] = spec.podMetricsEndpoints;
  const create = async (changes: object): Promise<string> => {
    const metadata = { name: 'pushed', namespace: measured };
    const { apiVersion, kind } = PodMonitorKind;
    const object = JSON.stringify({ apiVersion, kind, metadata, spec: { ...spec, ...changes } });
    return await kubectl(cluster, ['create', '--dry-run=server', '--filename=-'], object).catch(String);
  };
  const createWith = async (changes: object) => await create({ podMetricsEndpoints: [{ ...endpoint, ...changes }] });
  const refused = /A PodMonitor of a zone can only read its own pods and drop metrics/;
  const rename = { targetLabel: 'namespace', replacement: 'zone-of-others' };
  const keep = { sourceLabels: ['__name__'], regex: 'http_.*', action: 'keep' };
  const rules = endpoint?.metricRelabelings ?? [];
  // The policies take effect a moment after they were applied.
  await expect.poll(async () => await create({ namespaceSelector: { any: true } })).toMatch(refused);
  for (const changes of [{ podTargetLabels: ['namespace'] }, { jobLabel: 'job' }, { scrapeClass: 'with-credentials' }])
    expect(await create(changes)).toMatch(refused);
  for (const changes of [
    { relabelings: [rename] },
    { metricRelabelings: [...rules, rename] },
    { metricRelabelings: [keep] },
    { metricRelabelings: undefined },
    { honorLabels: true },
    { followRedirects: undefined },
    { proxyUrl: 'http://10.0.0.5' },
  ])
    expect(await createWith(changes), JSON.stringify(changes)).toMatch(refused);
  expect(await create({ sampleLimit: 100 })).toContain('created');
  expect(await createWith({ path: '/stats', interval: '1m', metricRelabelings: [...rules, keep] })).toContain(
    'created',
  );
});

it('cannot let an Application leave the project of its org, or a project leave the zones of its org', async () => {
  const { worker } = stores;
  await expect(worker.create(ApplicationKind, application({ project: 'default' }))).rejects.toThrow(
    /only the project of its org/,
  );
  const scope = {
    sourceRepos: [repo.repoUrl],
    destinations: [{ server: ownCluster, namespace: zone }],
    hasGateway: false,
  };
  const write = async (name: string, change: object) =>
    await worker.create(AppProjectKind, {
      metadata: { namespace: 'argocd', name },
      spec: { ...orgProjectSpec(name.slice('org-'.length), scope), ...change },
    });
  const name = `org-other-${suffix}`;
  for (const target of ['*', 'kube-system', 'argocd', 'service-system', namespace])
    await expect(write(name, { destinations: [{ server: ownCluster, namespace: target }] })).rejects.toThrow(
      /cover only namespaces of zones/,
    );
  await expect(write(name, { clusterResourceWhitelist: [{ group: '*', kind: '*' }] })).rejects.toThrow(/cover only/);
  await expect(write(name, { sourceNamespaces: ['*'] })).rejects.toThrow(/only the projects of orgs/);
  await expect(write(`free-${suffix}`, {})).rejects.toThrow(/only the projects of orgs/);
});

it('sends the alerts of an org to the API with a copy of the token, and resolves incidents whose alert is over', async () => {
  const { api, worker } = stores;
  const secret = { namespace: 'service-system', name: 'service-alert-webhook' };
  // Other files run processes of the API in this cluster, which have the same token.
  await ensureAlertToken(api);
  const { data } = await api.get(SecretKind, secret);
  const incident = { namespace, name: 'hello-1124-1200-0a1b2c3d' };
  const startsAt = '2026-11-24T12:00:00.000Z';
  const spec = {
    product: 'hello',
    severity: 'critical' as const,
    title: 'It burns',
    openedBy: 'alert',
    alert: { name: 'SloFastBurn', fingerprint: 'abc', startsAt },
  };
  await createIncident(api, { metadata: incident, spec, at: startsAt });
  const monitoring = { queryInstant: none, queryRange: none, listRules: none, listAlerts: none };
  const activities = createIncidentActivities({
    store: worker,
    monitoring,
    alertWebhookUrl: 'http://api.test',
    now: () => new Date(),
  });
  expect(await activities.checkIncidents({ org, missing: [] })).toEqual({ missing: [incident.name], isNeeded: true });
  await activities.applyAlertRoute({ org, isNeeded: true });
  await activities.applyAlertRoute({ org, isNeeded: true });
  expect(await api.get(SecretKind, { namespace, name: secret.name })).toMatchObject({ data });
  expect(await worker.get(AlertmanagerConfigKind, { namespace, name: 'service-incidents' })).toMatchObject({
    spec: { route: { receiver: 'service' } },
  });
  await activities.checkIncidents({ org, missing: [incident.name] });
  expect(await api.get(IncidentKind, incident)).toMatchObject({ status: { state: 'Resolved', resolvedBy: 'alert' } });
  await activities.applyAlertRoute({ org, isNeeded: false });
  expect(await worker.find(AlertmanagerConfigKind, { namespace, name: 'service-incidents' })).toBeUndefined();
});

it('gives the pods of builds no token, and creates no other account', async () => {
  const { worker } = stores;
  /** Returns the volumes that the cluster would add to a pod of a build. */
  const readVolumes = async (): Promise<string> => {
    const securityContext = {
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const containers = [{ name: 'build', image: 'build', securityContext }];
    const spec = { serviceAccountName: buildAccount, containers };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace, name: 'build' }, spec };
    const output = ['--dry-run=server', '--output=jsonpath={.spec.volumes[*].projected.sources[*]}'];
    return await kubectl(cluster, ['create', '-f', '-', ...output], JSON.stringify(pod));
  };
  await isolateBuilds(worker, org, network);
  expect(await readVolumes()).toBe('');
  const patch = '-p={"automountServiceAccountToken":true}';
  await admin('patch', 'serviceaccount', buildAccount, '-n', namespace, patch);
  expect(await readVolumes()).toContain('serviceAccountToken');
  await isolateBuilds(worker, org, network);
  expect(await readVolumes()).toBe('');

  const refused = /can write only the accounts of builds, whose pods get no token/;
  const metadata = { namespace, name: 'other' };
  const account = await worker.get(ServiceAccountKind, { namespace, name: buildAccount });
  const annotations = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/admin' };
  const create = worker.create(ServiceAccountKind, { metadata, automountServiceAccountToken: false });
  await expect(create).rejects.toThrow(refused);
  for (const change of [{ automountServiceAccountToken: true }, { metadata: { ...account.metadata, annotations } }])
    await expect(worker.replace(ServiceAccountKind, { ...account, ...change })).rejects.toThrow(refused);
});

it('writes the credentials of repos and registries, and no other Secret', async () => {
  const { worker } = stores;
  const host = { createCloneCredentials: async () => ({ url: repo.repoUrl, username: 'x', password: 'y' }) };
  const codehost = host as unknown as OrgCodehost;
  const free = `free-${suffix}`;
  await ensureZoneNamespace(worker, { ...owner, zone: free }, { network, access: 'public' });
  onTestFinished(async () => void (await admin('delete', 'namespace', '--wait=false', free)));
  // A second write overwrites the first, which the account cannot read.
  for (let round = 0; round < 2; round += 1) {
    await saveCloneSecret(worker, codehost, { org, repo: `${org}/hello` });
    await saveGitopsCredentials(worker, codehost, { org, repo: `${org}/gitops`, argoCdNamespace: 'argocd' });
    const docker = `{"auths":{"registry-${round}.test":{}}}`;
    await savePushSecret(worker, org, { push: docker });
    await saveOrgPushSecret(worker, org, { pull: docker });
    await savePullSecret(worker, free, docker);
  }
  onTestFinished(async () => void (await admin('delete', 'secret', '-n', 'argocd', namespace)));

  const lastCheck = { access: 'pull' as const, at: '2026-11-25T08:00:00.000Z' };
  const images = { name: 'images', host: 'registry.test', username: 'ada', password: 'correct-horse', lastCheck };
  const metadata = { namespace, name: registriesSecretName };
  await stores.api.create(SecretKind, { metadata, data: toRegistriesData([images]) });
  const registries = await listRegistries(worker, org);
  const repositories = ['registry.test/hello'];
  await savePullSecret(worker, free, toPullConfig({ pull: undefined }, { registries, repositories }));
  const pull = JSON.parse(await admin('get', 'secret', 'registry-pull', '-n', free, '-o', 'json')) as Secret;
  expect(readSecretText(pull, '.dockerconfigjson')).toContain('"registry.test"');
  await expect(asAccount('agents', ['get', 'secret', 'registries', '-n', namespace])).rejects.toThrow(/forbidden/i);
  await expect(worker.put(SecretKind, { metadata, data: {} })).rejects.toThrow(/can write only credentials/);

  const refused = /can write only credentials of repos, registries and alerts/;
  const put = async (where: string, name: string, labels = {}) =>
    await worker.put(SecretKind, { metadata: { namespace: where, name, labels }, data: {} });
  await expect(put(namespace, 'codehost-app')).rejects.toThrow(refused);
  await expect(put(namespace, 'service-account-token')).rejects.toThrow(refused);
  await expect(put(free, 'clone-theirs')).rejects.toThrow(refused);
  await expect(put('argocd', 'argocd-secret', repositorySecretLabels)).rejects.toThrow(refused);
  await expect(put('argocd', `org-${free}`)).rejects.toThrow(refused);
  await expect(put('argocd', `org-${free}`, { 'argocd.argoproj.io/secret-type': 'cluster' })).rejects.toThrow(refused);
});
