import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { ConfigMapKind, NamespaceKind, PodKind, SecretKind } from '../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { createClusterTelemetry } from '../../src/main/wiring/cluster-telemetry.ts';
import { openKubernetesStore } from '../../src/store/kubernetes.ts';
import type { Store } from '../../src/store/store.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { chartFolder, createChartAccount, helmReleaseArgs } from './create-chart-account.ts';

const run = promisify(execFile);
const cluster = inject('cluster');
const helm = inject('helm');
const admin = async (...args: string[]): Promise<string> => await kubectl(cluster, args);

const allFeatures = [
  '--set=ingress.enabled=true,ingress.tlsSecret=tls,serviceMonitor.enabled=true',
  '--set=api.autoscaling.enabled=true,workers.agents.autoscaling.enabled=true',
  '--set=temporal.tls.enabled=true,temporal.tls.existingSecret=temporal-tls,temporal.tls.serverName=temporal.test',
  '--set=secrets.existingSecret=service-secrets,secrets.keys={TEMPORAL_API_KEY,TEMPORAL_ENCRYPTION_KEYS}',
  '--set=blobs.existingClaim=blobs,image.pullSecrets[0].name=registry,config.CODEHOST_THROTTLE=false',
];

describe('the chart', () => {
  beforeAll(async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'service-system' } };
    await kubectl(cluster, ['apply', '--server-side', '--filename=-'], JSON.stringify(namespace));
  });

  it.each([
    ['default values', []],
    ['all features', allFeatures],
  ])('passes helm lint and server-side validation with %s', async (_, values) => {
    await run(helm, [
      'lint',
      chartFolder,
      '--strict',
      '--namespace=service-system',
      '--kube-version=1.35.4',
      ...values,
    ]);
    const { stdout } = await run(helm, ['template', ...helmReleaseArgs, '--include-crds', ...values]);
    // The CRDs of Prometheus are not installed; the API server checks all other documents.
    const documents = stdout.split(/^---$/m).filter((text) => !text.includes('kind: ServiceMonitor'));
    const output = await kubectl(
      cluster,
      ['apply', '--dry-run=server', '--server-side', '--force-conflicts', '--filename=-'],
      documents.join('---\n'),
    );
    expect(output.match(/deployment\.apps\/service-\w+ serverside-applied/g)).toHaveLength(4);
    expect(output).toContain('customresourcedefinition.apiextensions.k8s.io/products.service.delivery');
  });

  it.each([
    ['api.replicas=many', 'api.replicas'],
    ['secrets.keys={NO_SUCH_SETTING}', 'secrets.keys'],
    ['publicUrl=', 'publicUrl'],
    ['workers.main.queues={nonsense}', 'queues'],
    ['unknown=1', 'unknown'],
  ])('rejects an invalid value and names it: %s', async (value, named) => {
    await expect(run(helm, ['template', ...helmReleaseArgs, `--set=${value}`])).rejects.toThrow(
      named.split('.').at(-1),
    );
  });

  it('runs every pod as an unprivileged user with a read-only root file system and without capabilities', async () => {
    const { stdout } = await run(helm, ['template', ...helmReleaseArgs, ...allFeatures]);
    const list = await kubectl(
      cluster,
      ['create', '--dry-run=client', '--output=json', '--filename=-'],
      filterDeployments(stdout),
    );
    const { items } = JSON.parse(
      list.startsWith('[') ? `{"items":${list}}` : `{"items":[${list.replaceAll(/\}\n\{/g, '},{')}]}`,
    ) as {
      items: { spec: { template: { spec: PodSpec } } }[];
    };
    expect(items).toHaveLength(4);
    for (const { spec } of items) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_534 });
      for (const { securityContext } of pod.containers)
        expect(securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
    }
  });
});

type PodSpec = { securityContext: object; containers: { securityContext: object }[] };
const filterDeployments = (text: string): string =>
  text
    .split(/^---$/m)
    .filter((document) => /^kind: Deployment$/m.test(document))
    .join('---\n');

describe('the service account of the chart', () => {
  let environment: { KUBECONFIG: string; SERVICE_ACCOUNT: string };
  let folder: string;
  let kubeConfig: KubeConfig;
  let store: Store;
  const namespaceRoles = {
    orgRole: 'service-org',
    zoneRole: 'service-zone',
    account: { namespace: 'service-system', name: 'service' },
  };
  const suffix = crypto.randomUUID().slice(0, 8);
  const org = `chart-${suffix}`;
  const namespace = `org-${org}`;
  const zone = `zone-${suffix}`;
  const tenant = `tenant-${suffix}`;
  const stranger = `org-stranger-${suffix}`;

  const asAccount = async (args: string[], input?: string): Promise<string> =>
    await kubectl({ kubectl: cluster.kubectl, kubeconfig: environment.KUBECONFIG }, args, input);

  /** Asks the API server whether the account may do something; the kind is `<plural>.<group>`. */
  const isAllowed = async (verb: string, kind: string, where?: string): Promise<boolean> => {
    const [path = '', ...groups] = kind.split('.');
    const [resource, subresource] = path.split('/');
    const resourceAttributes = { verb, resource, subresource, group: groups.join('.'), namespace: where };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: { resourceAttributes },
    };
    const output = await asAccount(
      ['create', '--validate=false', '--output=json', '--filename=-'],
      JSON.stringify(review),
    );
    return (JSON.parse(output) as { status: { allowed: boolean } }).status.allowed;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'account-'));
    environment = await createChartAccount(cluster, { helm, folder });
    kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(environment.KUBECONFIG);
    store = await openKubernetesStore(kubeConfig, namespaceRoles);
    for (const name of [tenant, stranger]) {
      await admin('create', 'namespace', name);
      await admin('create', 'secret', 'generic', 'theirs', '--from-literal=key=value', '-n', name);
    }
    await admin('create', 'namespace', zone);
    await admin('label', 'namespace', zone, `service.delivery/org=${org}`, 'service.delivery/product=hello');
  });
  afterAll(async () => {
    await store?.close();
    await admin('delete', 'namespace', '--wait=false', '--ignore-not-found', tenant, stranger, zone, namespace);
    await rm(folder, { recursive: true, force: true });
  });

  it('creates the namespace of an org and has the required permissions in it', async () => {
    const metadata = { namespace: 'service-system', name: org };
    const spec = { codehostAccount: org, gitopsRepo: `${org}/gitops` };
    await store.create(OrganizationKind, { metadata, spec });
    // A missing object is not a permission error.
    expect(await store.find(SecretKind, { namespace, name: 'codehost-app' })).toBeUndefined();
    expect((await store.list(ConfigMapKind, { namespace })).items).toEqual([]);

    await store.create(SecretKind, { metadata: { namespace, name: 'codehost-app' }, data: {} });
    await store.create(ConfigMapKind, { metadata: { namespace, name: 'artifact' }, data: {} });
    const zones = [{ name: zone, promotionPolicy: 'automatic' as const }];
    const product = await store.create(ProductKind, {
      metadata: { namespace, name: `hello-${suffix}` },
      spec: { repos: [`${org}/hello`], delivery: { zones } },
    });
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, repos: [`${org}/other`] } });
    await store.updateStatus(ProductKind, product.metadata, () => ({ zones: [] }) as never);
    expect((await store.list(ProductKind)).items.map(({ metadata: { name } }) => name)).toContain(`hello-${suffix}`);
    const named = await store.list(SecretKind, { fields: { 'metadata.name': 'codehost-app' } });
    expect(named.items.map((secret) => secret.metadata.namespace)).toContain(namespace);
    await store.create(ApplicationKind, {
      metadata: { namespace, name: zone },
      spec: {
        project: 'default',
        source: { repoURL: 'http://localhost/x', targetRevision: 'main', path: '.', helm: { valueFiles: [] } },
        destination: { server: 'https://kubernetes.default.svc', namespace: zone },
        syncPolicy: {},
      } as never,
    });
    for (const [kind, name] of [
      [ApplicationKind, zone],
      [ProductKind, `hello-${suffix}`],
    ] as const)
      await store.delete(kind as typeof ProductKind, { namespace, name });
  });

  it('reads the objects of a zone and deletes the namespace of a removed zone', async () => {
    const telemetry = createClusterTelemetry({ kubeConfig, namespaceAccess: namespaceRoles, prometheus: undefined });
    expect(await telemetry.queryLogs(zone, { tailLines: 10 })).toEqual([]);
    await telemetry.close();
    expect((await store.list(PodKind, { namespace: zone })).items).toEqual([]);
    await expect(asAccount(['create', 'configmap', 'mine', '-n', zone])).rejects.toThrow(/forbidden/i);
    await expect(asAccount(['get', 'secrets', '-n', zone])).rejects.toThrow(/forbidden/i);
    await store.delete(NamespaceKind, { namespace: '', name: zone });
  });

  it.each([
    ['a tenant’s namespace', () => tenant],
    ['a namespace that is named like an org’s', () => stranger],
  ])('has no permission in a namespace that the service did not create: %s', async (_, getName) => {
    const name = getName();
    const listed = await asAccount(['auth', 'can-i', '--list', '--no-headers', '-n', name]);
    const permissions = listed
      .split('\n')
      .filter((line) => /secrets|configmaps|pods|deployments|applications/.test(line));
    // Secrets with this name verify the webhooks of all orgs.
    expect(permissions.map((line) => line.replaceAll(/\s+/g, ' ').trim())).toEqual([
      'secrets [] [codehost-app] [list watch]',
    ]);
    for (const verb of ['get', 'list', 'create', 'update', 'delete', 'watch'])
      for (const kind of ['secrets', 'configmaps', 'pods', 'deployments.apps', 'applications.argoproj.io'])
        expect(await isAllowed(verb, kind, name), `${verb} ${kind}`).toBe(false);
    for (const verb of ['create', 'update', 'delete'])
      expect(await isAllowed(verb, 'products.service.delivery', name)).toBe(false);

    await expect(asAccount(['get', 'secret', 'theirs', '-n', name])).rejects.toThrow(/forbidden/i);
    await expect(store.find(SecretKind, { namespace: name, name: 'theirs' })).rejects.toThrow(
      'Grant the service account the missing permission',
    );
    await expect(store.list(PodKind, { namespace: name })).rejects.toThrow(
      'Grant the service account the missing permission',
    );
    const metadata = { namespace: name, name: 'ours' };
    await expect(store.create(ConfigMapKind, { metadata, data: {} })).rejects.toThrow(
      'Grant the service account the missing permission',
    );
    await expect(store.delete(NamespaceKind, { namespace: '', name })).rejects.toThrow(
      'can delete only namespaces of zones',
    );
  });

  it('cannot grant permissions to itself in other namespaces, or to other accounts', async () => {
    const bind = async (role: string, where: string, account = 'service-system:service'): Promise<string> =>
      await asAccount([
        'create',
        'rolebinding',
        `b-${suffix}`,
        `--clusterrole=${role}`,
        `--serviceaccount=${account}`,
        '-n',
        where,
      ]);
    await expect(bind('service-org', tenant)).rejects.toThrow(/bind roles only in its own namespaces/);
    await expect(bind('service-zone', tenant)).rejects.toThrow(/bind roles only in its own namespaces/);
    await expect(bind('service-org', stranger)).rejects.toThrow(/bind roles only in its own namespaces/);
    await expect(bind('cluster-admin', namespace)).rejects.toThrow(/forbidden/i);
    await expect(bind('service-org', namespace, 'default:default')).rejects.toThrow(
      /bind roles only to its own service account/,
    );
    await expect(asAccount(['create', 'namespace', `free-${suffix}`])).rejects.toThrow(
      /create only the namespaces org-/,
    );
    await expect(asAccount(['delete', 'namespace', tenant])).rejects.toThrow(/can delete only namespaces of zones/);
    await expect(asAccount(['label', 'namespace', tenant, 'service.delivery/org=x'])).rejects.toThrow(/forbidden/i);
    for (const kind of [
      'clusterroles.rbac.authorization.k8s.io',
      'clusterrolebindings.rbac.authorization.k8s.io',
      'nodes',
    ])
      expect(await isAllowed('create', kind), kind).toBe(false);
    expect(await isAllowed('create', 'pods/exec', namespace)).toBe(false);
    // These permissions prove that the denials above are specific.
    expect(await isAllowed('create', 'secrets', namespace)).toBe(true);
    expect(await isAllowed('list', 'products.service.delivery')).toBe(true);
  });
});
