import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import type { OrgCodehost } from '../../src/integrations/codehost/codehost.ts';
import { type Application, ApplicationKind } from '../../src/kinds/argo-cd.ts';
import { chartPath, zoneValuesPath } from '../../src/rules/environments/zone-values.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { startDeliveryHarness, type DeliveryHarness, loadFastFailingChart } from './argo-cd/delivery-harness.ts';
import { neverReadyDigest, slowDigest } from './control-plane/start-fake-node.ts';
import { kubectl } from './control-plane/kubectl.ts';

const cluster = inject('cluster');
const toDigest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const brokenDigest = neverReadyDigest.padEnd('sha256:'.length + 64, '0');
const first = { version: 'v0.1.0', digest: toDigest('1') };
const late = { version: 'v0.2.0', digest: slowDigest.padEnd('sha256:'.length + 64, '0') };
const second = { version: 'v0.2.0', digest: toDigest('2') };

type Pod = {
  metadata: { name: string };
  spec: { containers: { image: string }[] };
  status: { conditions?: Condition[] };
};
type Condition = { type: string; status: string; lastTransitionTime: string };

async function listReadyPods(zone: string): Promise<{ image: string; readyAtMs: number }[]> {
  const { items } = JSON.parse(await kubectl(cluster, ['get', 'pods', '-n', zone, '-o', 'json'])) as { items: Pod[] };
  return items.flatMap(({ spec, status }) => {
    const ready = status.conditions?.find(({ type }) => type === 'Ready');
    const image = spec.containers[0]?.image ?? '';
    return ready?.status === 'True' ? [{ image, readyAtMs: Date.parse(ready.lastTransitionTime) }] : [];
  });
}

/** Records every status that the controller sets on a zone's Application from now on. */
function recordStatuses({ store, namespace }: DeliveryHarness, zone: string) {
  const statuses: { atMs: number; status: Application['status'] }[] = [];
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const watch = async (): Promise<void> => {
    for await (const { object } of store.watch(ApplicationKind, { namespace, name: zone, signal: stop.signal }))
      statuses.push({ atMs: Date.now(), status: object.status });
  };
  watch().catch(() => undefined);
  return statuses;
}

/** Commits a new version of another Product to the same repo. */
async function commitOtherProduct(host: OrgCodehost, org: string, count: number): Promise<void> {
  const repo = `${org}/gitops`;
  const { defaultBranch } = await host.ensureRepository(repo, '');
  for (;;) {
    const base = (await host.findBranchHead(repo, defaultBranch)) ?? '';
    const changes = [{ path: 'products/another/values.yaml', content: `count: ${count}\n` }];
    const head = await host.commitFiles(repo, { branch: 'another', base, message: 'Another', changes });
    const pullRequest = { headBranch: 'another', baseBranch: defaultBranch, title: 'Another', body: '', draft: false };
    const { number } = await host.openPullRequest(repo, pullRequest);
    const { outcome } = await host.mergePullRequest(repo, {
      number,
      headSha: head ?? '',
      title: 'Another',
      message: '',
    });
    if (outcome === 'merged') return;
    await sleep(50);
  }
}

/** Commits other changes repeatedly. Returns the function that stops it. */
function pushOtherChanges({ host, org }: DeliveryHarness, everyMs: number): () => Promise<void> {
  const stop = new AbortController();
  const pushing = (async () => {
    for (let count = 0; !stop.signal.aborted; count += 1) {
      await commitOtherProduct(host, org, count);
      await sleep(everyMs);
    }
  })();
  return async () => {
    stop.abort();
    await pushing;
  };
}

it('promotes a Release to a zone: synced at its commit or a later one, healthy, and with its digest', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct([{ replicas: 2, cpu: '100m', memory: '64Mi' }]);
  const startedAt = Date.now();
  const { gitopsCommit = '' } = await delivery.promoteAndVerify(product, zone, first);
  process.stdout.write(`Verified ${((Date.now() - startedAt) / 1000).toFixed(1)} s after the request\n`);

  const { status } = await delivery.store.get(ApplicationKind, { namespace: delivery.namespace, name: zone });
  expect(status).toMatchObject({ sync: { status: 'Synced' }, health: { status: 'Healthy' } });
  expect(await delivery.host.isAncestor(`${delivery.org}/gitops`, gitopsCommit, status?.sync?.revision ?? '')).toBe(
    true,
  );
  expect((await listReadyPods(zone)).map(({ image }) => image)).toEqual(
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

it('ignores a Healthy status of the previous version', async () => {
  // The status must be recognized by its content, so the recheck delay is too short to help.
  const delivery = await startDeliveryHarness({ healthRecheckDelayMs: 1 });
  const { product, zone } = await delivery.createProduct();
  await delivery.promoteAndVerify(product, zone, first);
  const statuses = recordStatuses(delivery, zone);
  const { healthyAt = '', gitopsCommit = '' } = await delivery.promoteAndVerify(product, zone, late);

  const [pod, ...others] = await listReadyPods(zone);
  expect(others).toEqual([]);
  expect(pod?.image).toContain(late.digest);
  expect(pod?.readyAtMs).toBeLessThanOrEqual(Date.parse(healthyAt));
  // These statuses report the previous version after the sync of the new one.
  const stale = statuses.filter(
    ({ status }) =>
      status?.operationState?.phase === 'Succeeded' &&
      status.operationState.syncResult?.revision === gitopsCommit &&
      status.health?.status === 'Healthy' &&
      !(status.summary?.images ?? []).some((image) => image.endsWith(late.digest)),
  );
  process.stdout.write(
    `After the sync, the controller still reported the previous version as Healthy ${stale.length} times\n`,
  );
});

it('accepts a newer commit of another Product in the same repo', async () => {
  let merges = 0;
  const delivery = await startDeliveryHarness({
    // The controller never sees the promotion's commit as the newest one.
    onMerged: async (host) => await commitOtherProduct(host, delivery.org, (merges += 1)),
  });
  const { product, zone } = await delivery.createProduct();
  const { gitopsCommit = '' } = await delivery.promoteAndVerify(product, zone, first);
  expect(merges).toBe(1);
  const { status } = await delivery.store.get(ApplicationKind, { namespace: delivery.namespace, name: zone });
  expect(status?.sync?.revision).not.toBe(gitopsCommit);
  expect(status?.operationState?.syncResult?.revision).not.toBe(gitopsCommit);
  const repo = `${delivery.org}/gitops`;
  expect(await delivery.host.isAncestor(repo, gitopsCommit, status?.sync?.revision ?? '')).toBe(true);
});

it('fails a Release as soon as its rollout is degraded, and does not fail the next one for it', async () => {
  const delivery = await startDeliveryHarness({ chart: await loadFastFailingChart() });
  const { product, zone } = await delivery.createProduct();
  await delivery.promoteAndVerify(product, zone, first);

  const statuses = recordStatuses(delivery, zone);
  await delivery.requestPromotion(product, zone, { version: 'v0.2.0', digest: brokenDigest });
  const { failure, healthyAt } = await delivery.waitForZonePhase(product, zone, { version: 'v0.2.0', phase: 'Failed' });
  const failedAt = Date.parse(failure?.at ?? '');
  const degraded = statuses.find(({ status }) => status?.health?.status === 'Degraded');
  process.stdout.write(`Failed ${failedAt - (degraded?.atMs ?? 0)} ms after it was reported as degraded\n`);
  expect(failure?.message).toBe('the app is degraded: The cluster has not started the pod yet.');
  expect(healthyAt).toBeUndefined();
  expect(degraded).toBeDefined();
  // The previous version still serves.
  expect((await listReadyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);

  await delivery.promoteAndVerify(product, zone, { version: 'v0.3.0', digest: toDigest('3') });
});

it('creates an Application again that a person deleted', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct();
  const { namespace, store } = delivery;
  const deleteApplication = async () => await kubectl(cluster, ['delete', 'application', zone, '-n', namespace]);
  await delivery.requestPromotion(product, zone, first);
  await waitUntil(
    async () => await store.find(ApplicationKind, { namespace, name: zone }),
    (found) => found !== undefined,
  );
  await deleteApplication();
  await delivery.waitForZonePhase(product, zone, { version: first.version, phase: 'Verified' });
  expect((await listReadyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);

  await deleteApplication();
  expect(await store.find(ApplicationKind, { namespace, name: zone })).toBeUndefined();
  await delivery.promoteAndVerify(product, zone, second);
  expect((await listReadyPods(zone)).map(({ image }) => image)).toEqual([expect.stringContaining(second.digest)]);
});

it('promotes 8 Products through one gitops repo at once while others push to it', async () => {
  const delivery = await startDeliveryHarness();
  const stopPushing = pushOtherChanges(delivery, 1_000);
  onTestFinished(stopPushing);
  const products = await Promise.all(Array.from({ length: 8 }, () => delivery.createProduct()));
  const startedAt = Date.now();
  await Promise.all(
    products.map(({ product, zone }, index) =>
      delivery.promoteAndVerify(product, zone, { version: 'v0.1.0', digest: toDigest(String(index)) }),
    ),
  );
  process.stdout.write(`8 Products verified within ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
  for (const [index, { product, zone }] of products.entries()) {
    const values = await delivery.host.readFile(`${delivery.org}/gitops`, zoneValuesPath(product, zone), 'main');
    expect(values).toContain(toDigest(String(index)));
    expect((await listReadyPods(zone)).map(({ image }) => image)).toEqual([
      expect.stringContaining(toDigest(String(index))),
    ]);
  }
});

it('proposes a changed chart in a pull request and keeps the current one', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct();
  const repo = `${delivery.org}/gitops`;
  await delivery.promoteAndVerify(product, zone, first);
  const before = await delivery.host.readFile(repo, `${chartPath(product)}/values.yaml`, 'main');

  // The service is updated.
  await delivery.updateService(await loadFastFailingChart());
  await delivery.promoteAndVerify(product, zone, second);
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

it('removes a zone: its objects, its files, its Application and last its namespace', async () => {
  const delivery = await startDeliveryHarness();
  const {
    product,
    zone,
    zones: [, other = ''],
  } = await delivery.createProduct([{}, {}]);
  const { namespace, store, host, org } = delivery;
  for (const one of [zone, other]) {
    await delivery.promoteAndVerify(product, one, first);
  }
  await delivery.removeZone(product, zone);
  await waitUntil(
    async () => await kubectl(cluster, ['get', 'namespaces', '-o', 'name']),
    (names) => !names.includes(`/${zone}\n`),
  );
  expect(await store.find(ApplicationKind, { namespace, name: zone })).toBeUndefined();
  expect(await host.readFile(`${org}/gitops`, zoneValuesPath(product, zone), 'main')).toBeUndefined();
  // The other zone and the chart of both stay.
  expect(await host.listFiles(`${org}/gitops`, chartPath(product), 'main')).toContain(
    `${chartPath(product)}/Chart.yaml`,
  );
  expect((await listReadyPods(other)).map(({ image }) => image)).toEqual([expect.stringContaining(first.digest)]);
});

it('removes all files of a deleted Product from the gitops repo', async () => {
  const delivery = await startDeliveryHarness();
  const { product, zone } = await delivery.createProduct();
  await delivery.promoteAndVerify(product, zone, first);
  const listProductFiles = async () =>
    await delivery.host.listFiles(`${delivery.org}/gitops`, `products/${product}`, 'main');
  expect(await listProductFiles()).toContain(`${chartPath(product)}/Chart.yaml`);
  await delivery.deleteProduct(product);
  expect(await listProductFiles()).toEqual([]);
  expect(await kubectl(cluster, ['get', 'namespaces', '-o', 'name'])).not.toContain(`/${zone}\n`);
});
