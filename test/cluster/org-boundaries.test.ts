import { expect, inject, it } from 'vitest';
import { type Application, ApplicationKind, AppProjectKind, ownCluster } from '../../src/kinds/argo-cd.ts';
import { NamespaceKind } from '../../src/kinds/kubernetes.ts';
import { chartPath } from '../../src/rules/environments/zone-values.ts';
import { orgProjectName } from '../../src/rules/environments/org-project.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { startDeliveryHarness, type DeliveryHarness } from './argo-cd/delivery-harness.ts';
import { applyObjects, kubectl } from './control-plane/kubectl.ts';

const cluster = inject('cluster');
const toRelease = (version: string, letter: string) => ({ version, digest: `sha256:${letter.repeat(64)}` });
const [first, second] = [toRelease('v0.1.0', '1'), toRelease('v0.2.0', '2')];

const find = async (kind: string, name: string, namespace?: string): Promise<string> =>
  await kubectl(cluster, [
    'get',
    kind,
    name,
    '--ignore-not-found',
    '--output=name',
    ...(namespace === undefined ? [] : ['-n', namespace]),
  ]);

/** Promotes a Release that must be refused, and returns the reason on the Product. */
async function promoteAndRead(
  delivery: DeliveryHarness,
  { product, zone }: { product: string; zone: string },
  release: typeof first,
): Promise<string> {
  await delivery.requestPromotion(product, zone, release);
  await delivery.waitForZonePhase(product, zone, { version: release.version, phase: 'Failed' });
  // The Release tells of the failure before the Product does.
  const readMessage = async (): Promise<string> => {
    const { status } = await delivery.store.get(ProductKind, { namespace: delivery.namespace, name: product });
    return status?.zones?.find(({ name }) => name === zone)?.failure?.message ?? '';
  };
  return await waitUntil(readMessage, (message) => message !== '');
}

/** Merges a file into the chart of a Product, as people who may push to the gitops repo can. */
async function pushToChart(
  { host, org }: DeliveryHarness,
  product: string,
  manifests: readonly object[],
): Promise<void> {
  const repo = `${org}/gitops`;
  const { defaultBranch } = await host.ensureRepository(repo, '');
  const base = (await host.findBranchHead(repo, defaultBranch)) ?? '';
  const branch = `push-${crypto.randomUUID().slice(0, 8)}`;
  const changes = [
    {
      path: `${chartPath(product)}/templates/pushed.yaml`,
      content: manifests.map((one) => JSON.stringify(one)).join('\n---\n'),
    },
  ];
  const headSha = (await host.commitFiles(repo, { branch, base, message: 'Push', changes })) ?? '';
  const pull = { headBranch: branch, baseBranch: defaultBranch, title: 'Push', body: '', draft: false };
  const { number } = await host.openPullRequest(repo, pull);
  await host.mergePullRequest(repo, { number, headSha, title: 'Push', message: '' });
}

it('never uses a namespace of another owner that is named like a zone', async () => {
  const delivery = await startDeliveryHarness();
  const created = await delivery.createProduct();
  const { product, zone } = created;
  await kubectl(cluster, ['create', 'namespace', zone]);

  expect(await promoteAndRead(delivery, created, first)).toBe(
    `The cluster has a namespace "${zone}" that does not belong to this zone. Choose another name for the zone.`,
  );
  expect(await delivery.store.find(ApplicationKind, { namespace: delivery.namespace, name: zone })).toBeUndefined();

  // Labels of another Product, or of an earlier one of the same name, make no difference.
  await kubectl(cluster, [
    'label',
    'namespace',
    zone,
    'app.kubernetes.io/managed-by=service.delivery',
    `service.delivery/org=${delivery.org}`,
    `service.delivery/product=${product}`,
    `service.delivery/zone=${zone}`,
    'service.delivery/uid=earlier',
  ]);
  expect(await promoteAndRead(delivery, created, second)).toContain('does not belong to this zone');
  await delivery.removeZone(product, zone);
  await waitUntil(
    async () => (await delivery.store.get(ProductKind, { namespace: delivery.namespace, name: product })).status?.zones,
    (zones) => zones?.length === 0,
  );
  expect(await delivery.store.find(NamespaceKind, { namespace: '', name: zone })).toMatchObject({
    status: { phase: 'Active' },
  });
  await kubectl(cluster, ['delete', 'namespace', zone, '--wait=false']);
});

it('refuses what a gitops repo may not deploy: a ClusterRoleBinding, and objects in a zone of another org', async () => {
  const [victim, delivery] = [await startDeliveryHarness(), await startDeliveryHarness()];
  const theirs = await victim.createProduct();
  const ours = await delivery.createProduct();
  // One after the other, because the client confuses the first tokens of two code hosts.
  await victim.promoteAndVerify(theirs.product, theirs.zone, first);
  await delivery.promoteAndVerify(ours.product, ours.zone, first);
  const name = `pushed-${delivery.org}`;
  const manifests = [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', namespace: ours.zone, name: 'default' }],
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: theirs.zone },
      spec: { ports: [{ port: 80 }], selector: { app: name } },
    },
    // It would open the network of the zone, as policies add up.
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name },
      spec: { podSelector: {}, policyTypes: ['Egress'], egress: [{}] },
    },
  ];
  await pushToChart(delivery, ours.product, manifests);
  const reason = await promoteAndRead(delivery, ours, second);
  for (const { kind } of manifests)
    expect(reason).toMatch(new RegExp(`${kind} "${name}": .* not permitted in project`));
  expect(await find('clusterrolebinding', name)).toBe('');
  expect(await find('service', name, theirs.zone)).toBe('');
  expect(await find('networkpolicy', name, ours.zone)).toBe('');
  expect(await find('networkpolicy', 'zone', ours.zone)).not.toBe('');

  // Without the project of the org, the same push is applied.
  await deployWithoutProject(delivery, ours);
  await waitUntil(
    async () => await find('clusterrolebinding', name),
    (found) => found !== '',
  );
  await kubectl(cluster, ['delete', 'clusterrolebinding', name]);
});

/** Moves the Application of a zone to a project that permits everything. */
async function deployWithoutProject(
  { store, namespace, org }: DeliveryHarness,
  { zone }: { zone: string },
): Promise<void> {
  const project = `open-${org}`;
  await store.create(AppProjectKind, {
    metadata: { namespace: 'argocd', name: project },
    spec: {
      sourceRepos: ['*'],
      sourceNamespaces: [namespace],
      destinations: [{ server: '*', namespace: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
      namespaceResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  });
  // The credentials of the gitops repo are for the project of the org.
  const patch = JSON.stringify({ stringData: { project } });
  await kubectl(cluster, ['patch', 'secret', orgProjectName(org), '-n', 'argocd', '--type=merge', '-p', patch]);
  await patchApplication({ namespace, name: zone }, { project });
}

async function patchApplication(
  { namespace, name }: { namespace: string; name: string },
  spec: Partial<Record<keyof Application['spec'], unknown>>,
): Promise<void> {
  const patch = JSON.stringify({ spec });
  await kubectl(cluster, ['patch', 'application', name, '-n', namespace, '--type=merge', '-p', patch]);
}

it('refuses an Application that points elsewhere', async () => {
  const [victim, delivery] = [await startDeliveryHarness(), await startDeliveryHarness()];
  const [theirs, ours] = [await victim.createProduct(), await delivery.createProduct()];
  // One after the other, because the client confuses the first tokens of two code hosts.
  await victim.promoteAndVerify(theirs.product, theirs.zone, first);
  await delivery.promoteAndVerify(ours.product, ours.zone, first);
  const { store, namespace, org } = delivery;
  const { spec } = await store.get(ApplicationKind, { namespace, name: ours.zone });
  const foreign = { server: ownCluster, namespace: theirs.zone };
  const attempts: [string, Partial<Application['spec']>, RegExp][] = [
    ['namespace', { destination: foreign }, /do not match any of the allowed destinations/],
    [
      'system',
      { destination: { server: ownCluster, namespace: 'argocd' } },
      /do not match any of the allowed destinations/,
    ],
    ['project', { project: `org-${victim.org}`, destination: foreign }, /is not permitted to use project/],
    ['default', { project: 'default', destination: foreign }, /is not permitted to use project/],
    ['source', { source: { ...spec.source, repoURL: 'https://evil.test/x.git' } }, /is not permitted in project/],
  ];
  for (const [name, change] of attempts)
    await store.create(ApplicationKind, {
      metadata: { namespace, name: `${org}-${name}` },
      spec: { ...spec, ...change },
    });
  for (const [name, , refusal] of attempts) {
    const { status } = await waitUntil(
      async () => await store.get(ApplicationKind, { namespace, name: `${org}-${name}` }),
      (found) => (found.status?.conditions ?? []).length > 0,
    );
    expect(status?.conditions?.map(({ message }) => message).join()).toMatch(refusal);
  }
  for (const where of [theirs.zone, 'argocd']) expect(await find('deployment', ours.product, where)).toBe('');

  // The zone's own Application is not followed elsewhere either.
  await patchApplication({ namespace, name: ours.zone }, { destination: { namespace: theirs.zone } });
  expect(await promoteAndRead(delivery, ours, second)).toContain(`it deploys to the namespace "${theirs.zone}"`);
  expect(await find('deployment', ours.product, theirs.zone)).toBe('');
  await kubectl(cluster, ['delete', 'application', ours.zone, '-n', namespace]);
  await delivery.promoteAndVerify(ours.product, ours.zone, toRelease('v0.3.0', '3'));
});

it('isolates the network of a zone, and restricts its pods', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct();
  await delivery.promoteAndVerify(product, zone, first);
  const policy = JSON.parse(await kubectl(cluster, ['get', 'networkpolicy', 'zone', '-n', zone, '-o', 'json'])) as {
    spec: { policyTypes: string[]; egress: { to: { ipBlock?: { except?: string[] } }[] }[] };
  };
  expect(policy.spec.policyTypes).toEqual(['Ingress', 'Egress']);
  const excepted = policy.spec.egress.flatMap(({ to }) => to).flatMap(({ ipBlock }) => ipBlock?.except ?? []);
  expect(excepted).toEqual(expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', 'fc00::/7']));
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'root', namespace: zone },
    spec: { hostNetwork: true, containers: [{ name: 'root', image: 'busybox' }] },
  };
  await expect(applyObjects(cluster, [pod])).rejects.toThrow(/violates PodSecurity "restricted/);
});

it('forgets the zones of a removed Product in the project of its org', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct();
  await delivery.promoteAndVerify(product, zone, first);
  const listDestinations = async () =>
    (await delivery.store.get(AppProjectKind, { namespace: 'argocd', name: delivery.namespace })).spec.destinations;
  expect(await listDestinations()).toEqual([{ server: ownCluster, namespace: zone }]);
  await delivery.deleteProduct(product);
  expect(await listDestinations()).toEqual([]);
});
