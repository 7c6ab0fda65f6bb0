import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { type Product, ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import { type Condition, environmentsFinalizer } from '../../src/rules/taken-up.ts';
import type { Store } from '../../src/store/store.ts';
import { connectToCodehost } from '../support/acme.ts';
import { Installation } from '../support/installation.ts';
// For what it declares that the run provides.
import type {} from '../support/temporal.ts';
import { kubectl } from './install-kinds.ts';
import { openClusterStore } from './open-cluster-store.ts';

const cluster = inject('cluster');
const org = `k${crypto.randomUUID().slice(0, 6)}`;
const namespace = `org-${org}`;
const name = (product: string): string => `${product}-${org}`;
const patience = { timeout: 30_000, interval: 100 };
let installation: Installation;
let api: Api;
let store: Store;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-'));
  installation = await Installation.start(inject('temporalExecutable') ?? '', async () => ({
    STORE: 'kubernetes',
    KUBECONFIG: cluster.kubeconfig,
  }));
  store = await openClusterStore(cluster);
  // Two replicas see everything at once, and nothing comes of it twice.
  await Promise.all([installation.serve(), installation.serve(), installation.work()]);
  api = await installation.asRoot();
  await api.post('/v1/orgs', { name: org, codehostAccount: 'acme' });
  await connectToCodehost(api, org);
});
afterAll(async () => {
  await store?.close();
  await installation?.close();
  await rm(folder, { recursive: true, force: true });
});

type Applied = { kind: string; name: string; spec: object };
const apply = async ({ kind, name: named, spec }: Applied): Promise<string> =>
  await kubectl(
    cluster,
    ['apply', '-f', '-'],
    JSON.stringify({ apiVersion: 'service.delivery/v1', kind, metadata: { name: named, namespace }, spec }),
  );
const product = async (named: string): Promise<Product | undefined> =>
  await store.find(ProductKind, { namespace, name: named });
const accepted = (object: { status?: { conditions?: Condition[] | undefined } | undefined } | undefined) => {
  const found = object?.status?.conditions?.find(({ type }) => type === 'Accepted');
  return found && `${found.status}: ${found.message}`;
};
const claimsOf = async (named: string): Promise<string[]> =>
  (await store.list(ConfigMapKind, { namespace: 'service-system' })).items
    .filter(({ data }) => data?.['org'] === org && data['product'] === named)
    .map(({ metadata }) => metadata.name);

it('takes up a Product as if it had come through the API: its usual zones, its names, and no one else’s', async () => {
  const shop = name('shop');
  await apply({ kind: 'Product', name: shop, spec: { repos: ['acme/shop'] } });
  await expect.poll(async () => accepted(await product(shop)), patience).toMatch(/^True/);
  const taken = await product(shop);
  expect(taken?.spec.delivery.zones).toEqual([
    { name: `${shop}-rc`, arrival: 'automatic' },
    { name: `${shop}-prod`, arrival: 'after-approval' },
  ]);
  expect(taken?.metadata.finalizers).toEqual([environmentsFinalizer]);
  expect((await claimsOf(shop)).toSorted()).toEqual([`product-${shop}`, `zone-${shop}-prod`, `zone-${shop}-rc`]);
  expect(await api.get(`/v1/orgs/${org}/products/${shop}`)).toMatchObject({ name: shop });

  // Applied again, it is what it was; edited, what it names is claimed anew.
  expect(await apply({ kind: 'Product', name: shop, spec: { repos: ['acme/shop'] } })).toContain('unchanged');
  const zones = [{ name: `${shop}-live`, arrival: 'automatic' }];
  const patch = JSON.stringify({ spec: { delivery: { zones } } });
  await kubectl(cluster, ['patch', 'product', shop, '-n', namespace, '--type=merge', '-p', patch]);
  await expect.poll(() => claimsOf(shop), patience).toEqual([`product-${shop}`, `zone-${shop}-live`]);
});

it('says on a Product what is wrong with it and how to mend that, begins nothing for it, and looks again', async () => {
  const [first, second] = [name('first'), name('second')];
  await apply({ kind: 'Product', name: first, spec: { repos: ['acme/one'] } });
  await expect.poll(async () => accepted(await product(first)), patience).toMatch(/^True/);
  await apply({ kind: 'Product', name: second, spec: { repos: ['acme/one'] } });
  await expect
    .poll(async () => accepted(await product(second)), patience)
    .toBe(
      `False: The Product "${second}" cannot be as asked: /spec/repos/0 belongs to the Product "${first}" already.`,
    );
  expect(await claimsOf(second)).toEqual([]);
  const shown = await kubectl(cluster, ['get', 'product', second, '-n', namespace, '-o', 'wide']);
  expect(shown).toContain('belongs to the Product');
  // Mended from the other side: nobody touches the one that was refused.
  await kubectl(cluster, ['patch', 'product', first, '-n', namespace, '--type=merge', '-p', '{"spec":{"repos":[]}}']);
  await expect.poll(async () => accepted(await product(second)), patience).toMatch(/^True/);
});

it('has the API server refuse what the schema forbids, before anything is stored', async () => {
  const wrong = { repos: [], delivery: { zones: [{ name: 'Not A Label', arrival: 'some day' }] } };
  await expect(apply({ kind: 'Product', name: name('wrong'), spec: wrong })).rejects.toThrow(/zones\[0\]\.arrival/);
  const typo = { repos: [], deliverry: {} };
  await expect(apply({ kind: 'Product', name: name('wrong'), spec: typo })).rejects.toThrow(/unknown field/);
});

it('takes up an AgentWorkflow once its AgentRole is there, and schedules it', async () => {
  const steps = [{ name: 'sweep', type: 'agent', role: 'sweeper', mode: 'report' }];
  const triggers = [{ type: 'cron', schedule: '0 9 * * *' }];
  await apply({ kind: 'AgentWorkflow', name: 'nightly', spec: { enabled: true, triggers, steps } });
  const workflow = async () => await store.find(AgentWorkflowKind, { namespace, name: 'nightly' });
  await expect
    .poll(async () => accepted(await workflow()), patience)
    .toMatch(/^False: .*no AgentRole "sweeper"\. Create it first/);
  await apply({ kind: 'AgentRole', name: 'sweeper', spec: { responsibilities: ['Look for what is left over.'] } });
  await expect.poll(async () => accepted(await workflow()), patience).toMatch(/^True/);
  await api.put(`/v1/orgs/${org}/scheduling`, { enabled: true, timeZone: 'UTC' }).catch(() => undefined);
  await expect.poll(async () => (await workflow())?.status?.schedule, patience).toBeDefined();
});

it('cleans up behind a Product that is deleted, whether it was applied or came through the API', async () => {
  const [applied, posted] = [name('applied'), name('posted')];
  await apply({ kind: 'Product', name: applied, spec: {} });
  await api.post(`/v1/orgs/${org}/products`, { name: posted, spec: { repos: [] } });
  await expect.poll(async () => accepted(await product(applied)), patience).toMatch(/^True/);
  for (const named of [applied, posted]) {
    expect((await claimsOf(named)).length).toBe(3);
    await kubectl(cluster, ['delete', 'product', named, '-n', namespace, '--wait=false']);
    await expect.poll(() => product(named), patience).toBeUndefined();
    await expect.poll(() => claimsOf(named), patience).toEqual([]);
  }
});

it('leaves alone what came through the API: it was checked there', async () => {
  const posted = name('quiet');
  const created = await api.post<{ resourceVersion: string }>(`/v1/orgs/${org}/products`, {
    name: posted,
    spec: { repos: [] },
  });
  const put = { spec: { repos: [], delivery: { zones: [] } }, resourceVersion: created.resourceVersion };
  const replaced = await api.put<{ resourceVersion: string }>(`/v1/orgs/${org}/products/${posted}`, put);
  // Whatever comes after in the same namespace was seen later.
  await apply({ kind: 'Product', name: name('later'), spec: {} });
  await expect.poll(async () => accepted(await product(name('later'))), patience).toMatch(/^True/);
  expect((await product(posted))?.metadata.resourceVersion).toBe(replaced.resourceVersion);
});
