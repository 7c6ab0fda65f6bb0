import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type Application, ApplicationKind } from '../../src/rules/environments/delivery-kinds.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { until } from '../support/acme.ts';
import { aDelivery, type Delivery, hastyChart } from './argo-cd/a-delivery.ts';
import { neverReadyDigest, slowDigest } from './control-plane/start-nodes.ts';
import { kubectl } from './install-kinds.ts';

const cluster = inject('cluster');
const digestOf = (letter: string): string => `sha256:${letter.repeat(64)}`;
const brokenDigest = neverReadyDigest.padEnd('sha256:'.length + 64, '0');
const first = { version: 'v0.1.0', digest: digestOf('1') };
const late = { version: 'v0.2.0', digest: slowDigest.padEnd('sha256:'.length + 64, '0') };
const second = { version: 'v0.2.0', digest: digestOf('2') };

type Pod = {
  metadata: { name: string };
  spec: { containers: { image: string }[] };
  status: { conditions?: Condition[] };
};
type Condition = { type: string; status: string; lastTransitionTime: string };

async function readyPods(zone: string): Promise<{ image: string; readyAtMs: number }[]> {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'pods', '-n', zone, '-o', 'json'])) as { items: Pod[] };
  return items.flatMap(({ spec, status }) => {
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    const image = spec.containers[0]?.image ?? '';
    return ready?.status === 'True' ? [{ image, readyAtMs: Date.parse(ready.lastTransitionTime) }] : [];
  });
}

/** All that the controller says of a zone from now on. */
function listenTo({ store, namespace }: Delivery, zone: string) {
  const said: { atMs: number; status: Application['status'] }[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const listen = async (): Promise<void> => {
    for await (const { object } of store.watch(ApplicationKind, { namespace, name: zone, signal: over.signal }))
      said.push({ atMs: Date.now(), status: object.status });
  };
  listen().catch(() => undefined);
  return said;
}

/** Somebody else's Product comes to another version in the same repo. */
async function commitOfAnother(host: OrgCodehost, org: string, count: number): Promise<void> {
  const repo = `${org}/gitops`;
  const { defaultBranch } = await host.ensureRepository(repo, '');
  for (;;) {
    const base = (await host.branchHead(repo, defaultBranch)) ?? '';
    const changes = [{ path: 'products/another/values.yaml', content: `count: ${count}\n` }];
    const head = await host.commitFiles(repo, { branch: 'another', base, message: 'Another', changes });
    const about = { headBranch: 'another', baseBranch: defaultBranch, title: 'Another', body: '', draft: false };
    const { number } = await host.openPullRequest(repo, about);
    const { outcome } = await host.merge(repo, { number, headSha: head ?? '', title: 'Another', message: '' });
    if (outcome === 'merged') return;
    await sleep(50);
  }
}

/** Has somebody else commit again and again; answers what ends it. */
function othersPush({ host, org }: Delivery, everyMs: number): () => Promise<void> {
  const over = new AbortController();
  const pushing = (async () => {
    for (let count = 0; !over.signal.aborted; count += 1) {
      await commitOfAnother(host, org, count);
      await sleep(everyMs);
    }
  })();
  return async () => {
    over.abort();
    await pushing;
  };
}

it('brings a Release to a zone: synced at our commit or after it, healthy, and with our digest', async () => {
  const delivery = await aDelivery();
  const { product, zone } = await delivery.createProduct([{ replicas: 2, cpu: '100m', memory: '64Mi' }]);
  const startedAt = Date.now();
  const { gitopsCommit = '' } = await delivery.bring(product, zone, first);
  process.stdout.write(`Verified ${((Date.now() - startedAt) / 1000).toFixed(1)} s after it arrived\n`);

  const { status } = await delivery.store.get(ApplicationKind, { namespace: delivery.namespace, name: zone });
  expect(status).toMatchObject({ sync: { status: 'Synced' }, health: { status: 'Healthy' } });
  expect(await delivery.host.isAncestor(`${delivery.org}/gitops`, gitopsCommit, status?.sync?.revision ?? '')).toBe(
    true,
  );
  expect((await readyPods(zone)).map(({ image }) => image)).toEqual(
    Array.from({ length: 2 }, () => `registry.local/${delivery.org}/${product}@${first.digest}`),
  );
  const names = await kubectl(cluster, [
    'get',
    'deployments,services,ingresses,poddisruptionbudgets',
    '-n',
    zone,
    '-o',
    'name',
  ]);
  expect(names.trim().split('\n').toSorted()).toEqual([
    `deployment.apps/${product}`,
    `ingress.networking.k8s.io/${product}`,
    `poddisruptionbudget.policy/${product}`,
    `service/${product}`,
  ]);
});

it('does not take "Healthy" for ours that speaks of what ran before', async () => {
  // What is said is judged by what it is about, not by waiting until it is something else.
  const delivery = await aDelivery({ settleMs: 1 });
  const { product, zone } = await delivery.createProduct();
  await delivery.bring(product, zone, first);
  const said = listenTo(delivery, zone);
  const { healthyAt = '', gitopsCommit = '' } = await delivery.bring(product, zone, late);

  const [pod, ...others] = await readyPods(zone);
  expect(others).toEqual([]);
  expect(pod?.image).toContain(late.digest);
  expect(pod?.readyAtMs).toBeLessThanOrEqual(Date.parse(healthyAt));
  // Said of the version before, when the sync of ours was over already.
  const stale = said.filter(
    ({ status }) =>
      status?.operationState?.phase === 'Succeeded' &&
      status.operationState.syncResult?.revision === gitopsCommit &&
      status.health?.status === 'Healthy' &&
      !(status.summary?.images ?? []).some((image) => image.endsWith(late.digest)),
  );
  process.stdout.write(
    `After the sync of ours the controller still said ${stale.length} times Healthy of what ran before\n`,
  );
});

it('takes a newer commit of another Product in the same repo for what it is', async () => {
  let merges = 0;
  const delivery = await aDelivery({
    // The controller never gets to see our commit as the newest one.
    onMerged: async (host) => await commitOfAnother(host, delivery.org, (merges += 1)),
  });
  const { product, zone } = await delivery.createProduct();
  const { gitopsCommit = '' } = await delivery.bring(product, zone, first);
  expect(merges).toBe(1);
  const { status } = await delivery.store.get(ApplicationKind, { namespace: delivery.namespace, name: zone });
  expect(status?.sync?.revision).not.toBe(gitopsCommit);
  expect(status?.operationState?.syncResult?.revision).not.toBe(gitopsCommit);
  const repo = `${delivery.org}/gitops`;
  expect(await delivery.host.isAncestor(repo, gitopsCommit, status?.sync?.revision ?? '')).toBe(true);
});

it('fails a Release at once when its rollout gets degraded, and not the next one for it', async () => {
  const delivery = await aDelivery({ chart: await hastyChart() });
  const { product, zone } = await delivery.createProduct();
  await delivery.bring(product, zone, first);

  const said = listenTo(delivery, zone);
  await delivery.arrive(product, zone, { version: 'v0.2.0', digest: brokenDigest });
  const { failure, healthyAt } = await delivery.zoneOf(product, zone, { version: 'v0.2.0', phase: 'Failed' });
  const failedAt = Date.parse(failure?.at ?? '');
  const degraded = said.find(({ status }) => status?.health?.status === 'Degraded');
  const afterMs = failedAt - (degraded?.atMs ?? 0);
  process.stdout.write(`Failed ${afterMs} ms after it was said to be degraded\n`);
  expect(failure?.reason).toBe('the app is degraded: The cluster has not started it yet.');
  expect(healthyAt).toBeUndefined();
  expect(afterMs).toBeLessThan(2_000);
  // The version before still serves.
  expect((await readyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);

  await delivery.bring(product, zone, { version: 'v0.3.0', digest: digestOf('3') });
});

it('brings an Application back that somebody deletes by hand', async () => {
  const delivery = await aDelivery();
  const { product, zone } = await delivery.createProduct();
  const { namespace, store } = delivery;
  const deleteByHand = async () => await kubectl(cluster, ['delete', 'application', zone, '-n', namespace]);
  await delivery.arrive(product, zone, first);
  await until(
    async () => await store.find(ApplicationKind, { namespace, name: zone }),
    (found) => found !== undefined,
  );
  await deleteByHand();
  await delivery.zoneOf(product, zone, { version: first.version, phase: 'Verified' });
  expect((await readyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);

  await deleteByHand();
  expect(await store.find(ApplicationKind, { namespace, name: zone })).toBeUndefined();
  await delivery.bring(product, zone, second);
  expect((await readyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(second.digest)]);
});

it('brings 8 Products through one gitops repo at once, while others push to it', async () => {
  const delivery = await aDelivery();
  const stopPushing = othersPush(delivery, 1_000);
  onTestFinished(stopPushing);
  const products = await Promise.all(Array.from({ length: 8 }, () => delivery.createProduct()));
  const startedAt = Date.now();
  await Promise.all(
    products.map(({ product, zone }, at) =>
      delivery.bring(product, zone, { version: 'v0.1.0', digest: digestOf(String(at)) }),
    ),
  );
  process.stdout.write(`8 Products verified within ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  for (const [at, { product, zone }] of products.entries()) {
    const values = await delivery.host.readFile(`${delivery.org}/gitops`, zoneValuesPath(product, zone), 'main');
    expect(values).toContain(digestOf(String(at)));
    expect((await readyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(digestOf(String(at)))]);
  }
});

it('proposes another chart to people, and leaves what runs as it is', async () => {
  const delivery = await aDelivery();
  const { product, zone } = await delivery.createProduct();
  const repo = `${delivery.org}/gitops`;
  await delivery.bring(product, zone, first);
  const before = await delivery.host.readFile(repo, `${chartPath(product)}/values.yaml`, 'main');

  // The service is updated.
  await delivery.update(await hastyChart());
  await delivery.bring(product, zone, second);
  expect(await delivery.host.readFile(repo, `${chartPath(product)}/values.yaml`, 'main')).toBe(before);
  const response = await fetch(`${delivery.codehost.apiUrl}/repos/${repo}/pulls?state=open`, {
    headers: { authorization: `Bearer ${delivery.codehost.userToken}` },
  });
  const [proposal, ...others] = (await response.json()) as { title: string; head: { ref: string; sha: string } }[];
  expect(others).toEqual([]);
  expect(proposal?.title).toMatch(`${product}: chart 1.0.0+`);
  const proposed = await delivery.host.readFile(repo, `${chartPath(product)}/values.yaml`, proposal?.head.ref ?? '');
  expect(proposed).toContain('progressDeadlineSeconds: 4');
});

it('takes a zone down: what was deployed, its files, its Application and last its namespace', async () => {
  const delivery = await aDelivery();
  const {
    product,
    zone,
    zones: [, other = ''],
  } = await delivery.createProduct([{}, {}]);
  const { namespace, store, host, org } = delivery;
  for (const one of [zone, other]) {
    await delivery.bring(product, one, first);
  }
  await delivery.remove(product, zone);
  await until(
    async () => await kubectl(cluster, ['get', 'namespaces', '-o', 'name']),
    (names) => !names.includes(`/${zone}\n`),
  );
  expect(await store.find(ApplicationKind, { namespace, name: zone })).toBeUndefined();
  expect(await host.readFile(`${org}/gitops`, zoneValuesPath(product, zone), 'main')).toBeUndefined();
  // The other zone's, and what both are rendered with, stay.
  expect(await host.filesBelow(`${org}/gitops`, chartPath(product), 'main')).toContain(
    `${chartPath(product)}/Chart.yaml`,
  );
  expect((await readyPods(other)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);
});

it('takes all of a Product out of the gitops repo when it is deleted', async () => {
  const delivery = await aDelivery();
  const { product, zone } = await delivery.createProduct();
  await delivery.bring(product, zone, first);
  const below = async () => await delivery.host.filesBelow(`${delivery.org}/gitops`, `products/${product}`, 'main');
  expect(await below()).toContain(`${chartPath(product)}/Chart.yaml`);
  await delivery.deleteProduct(product);
  expect(await below()).toEqual([]);
  expect(await kubectl(cluster, ['get', 'namespaces', '-o', 'name'])).not.toContain(`/${zone}\n`);
});
