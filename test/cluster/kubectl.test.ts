import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { AccessGroupKind, UserKind } from '../../src/rules/access/kinds.ts';
import { AgentRoleKind, AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { DomainKind } from '../../src/rules/domains/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { PromotionKind } from '../../src/rules/promotions/kinds.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/products/kinds.ts';
import { repoReservationName } from '../../src/rules/products/repo-reservation-name.ts';
import { ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import type { Condition } from '../../src/rules/conditions.ts';
import { environmentsFinalizer } from '../../src/rules/products/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { connectToCodehost } from '../support/platform/acme.ts';
import { Installation } from '../support/platform/installation.ts';
// The import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import { kubectl } from './control-plane/kubectl.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const org = `k${crypto.randomUUID().slice(0, 6)}`;
const namespace = `org-${org}`;
const toUniqueName = (product: string): string => `${product}-${org}`;
const pollOptions = { interval: 100 };
let installation: Installation;
let api: ApiClient;
let store: Store;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  installation = await Installation.start(inject('temporalExecutable') ?? '', async () => ({
    STORE: 'kubernetes',
    KUBECONFIG: cluster.kubeconfig,
    AGENT_NETWORK: 'public',
  }));
  store = await openClusterStore(cluster);
  // Two API replicas reconcile the same resources at the same time.
  await Promise.all([installation.startApi(), installation.startApi(), installation.startWorker()]);
  api = await installation.signInAsRoot();
  await api.post('/v1/orgs', { name: org, codehostAccount: 'acme' });
  await connectToCodehost(api, org);
});
afterAll(async () => {
  await store?.close();
  await installation?.close();
  await rm(folder, { recursive: true, force: true });
});

type Manifest = { kind: string; name: string; namespace?: string; spec: object };
const apply = async ({ kind, name: objectName, namespace: into = namespace, spec }: Manifest): Promise<string> =>
  await kubectl(
    cluster,
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'service.delivery/v1', kind, metadata: { name: objectName, namespace: into }, spec }),
  );
const findProduct = async (productName: string): Promise<Product | undefined> =>
  await store.find(ProductKind, { namespace, name: productName });
const readAccepted = (object: { status?: { conditions?: Condition[] | undefined } | undefined } | undefined) => {
  const found = object?.status?.conditions?.find(({ type }) => type === 'Accepted');
  return found && `${found.status}: ${found.message}`;
};
const listReservations = async (productName: string): Promise<string[]> =>
  (await store.list(ConfigMapKind, { namespace: 'service-system' })).items
    .filter(({ data }) => data?.['org'] === org && data['product'] === productName)
    .map(({ metadata }) => metadata.name);

it('reconciles an applied Product like one from the API: default zones and reserved names', async () => {
  const shop = toUniqueName('shop');
  await apply({ kind: 'Product', name: shop, spec: { repos: ['acme/shop'] } });
  await expect.poll(async () => readAccepted(await findProduct(shop)), pollOptions).toMatch(/^True/);
  const reconciled = await findProduct(shop);
  expect(reconciled?.spec.delivery.zones).toEqual([
    { name: `${shop}-rc`, promotionPolicy: 'automatic', access: 'public' },
    { name: `${shop}-prod`, promotionPolicy: 'after-approval', access: 'signed-in' },
  ]);
  expect(reconciled?.metadata.finalizers).toEqual([environmentsFinalizer]);
  expect((await listReservations(shop)).toSorted()).toEqual([
    `product-${shop}`,
    repoReservationName(org, 'acme/shop'),
    `zone-${shop}-prod`,
    `zone-${shop}-rc`,
  ]);
  expect(await api.get(`/v1/orgs/${org}/products/${shop}`)).toMatchObject({ name: shop });

  // Applying it again changes nothing; an edit updates its reservations.
  expect(await apply({ kind: 'Product', name: shop, spec: { repos: ['acme/shop'] } })).toContain('unchanged');
  const zones = [{ name: `${shop}-live`, promotionPolicy: 'automatic' }];
  const patch = JSON.stringify({ spec: { delivery: { zones } } });
  await kubectl(cluster, ['patch', 'product', shop, '-n', namespace, '--type=merge', '-p', patch]);
  await expect
    .poll(() => listReservations(shop), pollOptions)
    .toEqual([`product-${shop}`, repoReservationName(org, 'acme/shop'), `zone-${shop}-live`]);
});

it('sets the reason on a rejected Product, starts nothing for it, and reconciles it again later', async () => {
  const [first, second] = [toUniqueName('first'), toUniqueName('second')];
  await apply({ kind: 'Product', name: first, spec: { repos: ['acme/one'] } });
  await expect.poll(async () => readAccepted(await findProduct(first)), pollOptions).toMatch(/^True/);
  await apply({ kind: 'Product', name: second, spec: { repos: ['acme/one'] } });
  await expect
    .poll(async () => readAccepted(await findProduct(second)), pollOptions)
    .toBe(`False: The Product "${second}" is invalid: /spec/repos/0 already belongs to the Product "${first}".`);
  expect(await listReservations(second)).toEqual([]);
  const shown = await kubectl(cluster, ['get', 'product', second, '-n', namespace, '-o', 'wide']);
  expect(shown).toContain('already belongs to the Product');
  // A change of the other Product makes the rejected one valid.
  await kubectl(cluster, ['patch', 'product', first, '-n', namespace, '--type=merge', '-p', '{"spec":{"repos":[]}}']);
  await expect.poll(async () => readAccepted(await findProduct(second)), pollOptions).toMatch(/^True/);
});

it('is rejected with a zone that is named like an existing namespace, also when the API gets it', async () => {
  const taken = toUniqueName('taken');
  await kubectl(cluster, ['create', 'namespace', taken]);
  const spec = { repos: [], delivery: { zones: [{ name: taken, promotionPolicy: 'automatic' }] } };
  const reason = `The cluster has a namespace "${taken}" that does not belong to this zone.`;
  const [posted, applied] = [toUniqueName('thief'), toUniqueName('burglar')];
  await expect(api.post(`/v1/orgs/${org}/products`, { name: posted, spec })).rejects.toThrow(reason);
  expect(await findProduct(posted)).toBeUndefined();
  await apply({ kind: 'Product', name: applied, spec });
  await expect.poll(async () => readAccepted(await findProduct(applied)), pollOptions).toContain(`False: ${reason}`);
  expect(await listReservations(applied)).not.toContain(`zone-${taken}`);
  await kubectl(cluster, ['delete', 'namespace', taken, '--wait=false']);
});

it('is rejected by the API server when it violates the schema', async () => {
  const wrong = { repos: [], delivery: { zones: [{ name: 'Not A Label', promotionPolicy: 'some day' }] } };
  await expect(apply({ kind: 'Product', name: toUniqueName('wrong'), spec: wrong })).rejects.toThrow(
    /zones\[0\]\.promotionPolicy/,
  );
  const typo = { repos: [], deliverry: {} };
  await expect(apply({ kind: 'Product', name: toUniqueName('wrong'), spec: typo })).rejects.toThrow(/unknown field/);
});

it('reconciles an AgentWorkflow once its AgentRole exists, and schedules it', async () => {
  const steps = [{ name: 'sweep', type: 'agent', role: 'sweeper', mode: 'report' }];
  const triggers = [{ type: 'cron', schedule: '0 9 * * *' }];
  await apply({ kind: 'AgentWorkflow', name: 'nightly', spec: { enabled: true, triggers, steps } });
  const workflow = async () => await store.find(AgentWorkflowKind, { namespace, name: 'nightly' });
  await expect
    .poll(async () => readAccepted(await workflow()), pollOptions)
    .toMatch(/^False: .*no AgentRole "sweeper"\. Create it first/);
  await apply({ kind: 'AgentRole', name: 'sweeper', spec: { responsibilities: ['Look for unused files.'] } });
  await expect.poll(async () => readAccepted(await workflow()), pollOptions).toMatch(/^True/);
  await api.put(`/v1/orgs/${org}/scheduling`, { enabled: true, timeZone: 'UTC' }).catch(() => undefined);
  await expect.poll(async () => (await workflow())?.status?.schedule, pollOptions).toBeDefined();
});

it('reconciles an Organization, an AgentRole and an AccessGroup, or sets the reason', async () => {
  const applied = `a${org}`;
  const gitops = { codehostAccount: applied, gitopsRepo: `${applied}/gitops` };
  await apply({ kind: 'Organization', name: applied, namespace: 'service-system', spec: gitops });
  const organization = { namespace: 'service-system', name: applied };
  await expect
    .poll(async () => readAccepted(await store.find(OrganizationKind, organization)), pollOptions)
    .toMatch(/^True/);
  const { items } = await api.get<{ items: { name: string }[] }>(`/v1/orgs/${applied}/agentworkflows`);
  expect(items.map((workflow) => workflow.name)).toContain('change');

  const into = `org-${applied}`;
  const group = { name: 'ops', role: 'member', members: [] };
  await apply({ kind: 'AccessGroup', name: 'ops', namespace: into, spec: group });
  await apply({ kind: 'AccessGroup', name: 'other', namespace: into, spec: group });
  const role = { responsibilities: ['Look things up.'], network: true };
  await apply({ kind: 'AgentRole', name: 'reader', namespace: into, spec: role });
  const readGroup = async (name: string) => readAccepted(await store.find(AccessGroupKind, { namespace: into, name }));
  await expect.poll(async () => await readGroup('ops'), pollOptions).toMatch(/^True/);
  await expect.poll(async () => await readGroup('other'), pollOptions).toMatch(/^False: .*must be "other"/);
  const readRole = async () => readAccepted(await store.find(AgentRoleKind, { namespace: into, name: 'reader' }));
  await expect.poll(readRole, pollOptions).toMatch(/^False: .*does not allow network access/);
  await api.put(`/v1/orgs/${applied}/agent-limits`, { allowNetwork: true });
  await expect.poll(readRole, pollOptions).toMatch(/^True/);
});

it('sets the reason on resources that the service alone creates', async () => {
  const user = { email: 'ada@example.com', platformAdmin: true };
  await apply({ kind: 'User', name: 'ada', namespace: 'service-system', spec: user });
  const domain = { name: 'ours.example', kind: 'external', shared: false, token: 'chosen' };
  await apply({ kind: 'Domain', name: 'ours.example', spec: domain });
  const release = { product: 'shop', repo: 'acme/shop', commit: 'c'.repeat(40), version: 'v1.0.0', startedBy: 'ada' };
  await apply({ kind: 'Release', name: 'shop-v1.0.0', spec: release });
  await expect
    .poll(
      async () => readAccepted(await store.find(UserKind, { namespace: 'service-system', name: 'ada' })),
      pollOptions,
    )
    .toMatch(/^False: This User cannot sign in/);
  const readDomain = async () => await store.get(DomainKind, { namespace, name: 'ours.example' });
  await expect
    .poll(async () => readAccepted(await readDomain()), pollOptions)
    .toMatch(/^False: .*claim the domain with POST/);
  await api.post(`/v1/orgs/${org}/domains/ours.example/check`, {}).catch(() => undefined);
  expect((await readDomain()).status?.state).toBe('Failed');
  await expect
    .poll(async () => readAccepted(await store.find(ReleaseKind, { namespace, name: 'shop-v1.0.0' })), pollOptions)
    .toMatch(/^False: .*start a Release with POST/);
  const { product, commit, version } = release;
  const promotion = {
    product,
    zone: 'shop-prod',
    release: 'shop-v1.0.0',
    version,
    commit,
    trigger: 'release',
    startedBy: 'ada',
  };
  await apply({ kind: 'Promotion', name: 'shop-v1.0.0-shop-prod-1', spec: promotion });
  await expect
    .poll(
      async () => readAccepted(await store.find(PromotionKind, { namespace, name: 'shop-v1.0.0-shop-prod-1' })),
      pollOptions,
    )
    .toMatch(/^False: .*promote a Release with POST/);
});

it('releases the reservations of a deleted Product, whether it was applied or posted', async () => {
  const [applied, posted] = [toUniqueName('applied'), toUniqueName('posted')];
  await apply({ kind: 'Product', name: applied, spec: {} });
  await api.post(`/v1/orgs/${org}/products`, { name: posted, spec: { repos: [] } });
  await expect.poll(async () => readAccepted(await findProduct(applied)), pollOptions).toMatch(/^True/);
  for (const productName of [applied, posted]) {
    expect((await listReservations(productName)).length).toBe(3);
    await kubectl(cluster, ['delete', 'product', productName, '-n', namespace, '--wait=false']);
    await expect.poll(() => findProduct(productName), pollOptions).toBeUndefined();
    await expect.poll(() => listReservations(productName), pollOptions).toEqual([]);
  }
});

it('does not reconcile a Product again that the API has checked', async () => {
  const posted = toUniqueName('quiet');
  const created = await api.post<{ resourceVersion: string }>(`/v1/orgs/${org}/products`, {
    name: posted,
    spec: { repos: [] },
  });
  const put = { spec: { repos: [], delivery: { zones: [] } }, resourceVersion: created.resourceVersion };
  const replaced = await api.put<{ resourceVersion: string }>(`/v1/orgs/${org}/products/${posted}`, put);
  // A later Product of the same namespace is reconciled after it.
  await apply({ kind: 'Product', name: toUniqueName('later'), spec: {} });
  await expect.poll(async () => readAccepted(await findProduct(toUniqueName('later'))), pollOptions).toMatch(/^True/);
  expect((await findProduct(posted))?.metadata.resourceVersion).toBe(replaced.resourceVersion);
});
