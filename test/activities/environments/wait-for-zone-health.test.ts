import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/errors.ts';
import type { ZoneCluster } from '../../../src/integrations/telemetry/zone-cluster.ts';
import { PodKind } from '../../../src/kinds/kubernetes.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { buildWorkloadClusters } from '../../support/workload-clusters.ts';
import { connectCodehost, createHarness, namespace, promotion, ref } from './environment-fixture.ts';

describe('waitForZoneHealth', () => {
  const application = { namespace, name: ref.zone };

  /** Promotes the Release, and returns what the controller reports about it. */
  async function promote({ zone = {}, clusters = {} as Record<string, ZoneCluster> } = {}) {
    const codehost = await connectCodehost();
    const workloadClusters = buildWorkloadClusters(clusters);
    const harness = await createHarness({ codehost, zone, workloadClusters });
    const promoted = await harness.run(harness.activities.writePromotion, promotion);
    if (promoted.outcome !== 'promoted') throw new Error(promoted.message);
    const { gitopsCommit, mergedAt } = promoted;
    const report = async (health: 'Healthy' | 'Progressing' | 'Degraded', digest = 'sha256:1') => {
      const later = new Date(Date.now() + 1_000).toISOString();
      await harness.store.updateStatus(ApplicationKind, application, () => ({
        sync: { status: 'Synced' as const, revision: gitopsCommit },
        operationState: { phase: 'Succeeded' as const, startedAt: later, finishedAt: later },
        reconciledAt: later,
        health: { status: health },
        summary: { images: [`registry/shop@${digest}`] },
      }));
    };
    const environment = new MockActivityEnvironment();
    const input = { ...ref, digest: 'sha256:1', gitopsCommit, mergedAt, timeoutMs: 240_000 };
    const wait = async (more: Partial<typeof input> = {}): Promise<unknown> =>
      await environment
        .run(harness.activities.waitForZoneHealth, { ...input, ...more })
        .catch((error: unknown) => error);
    const readApplication = async () => await harness.store.find(ApplicationKind, application);
    const removeApplication = async () => {
      const found = await harness.store.get(ApplicationKind, application);
      await harness.store.replace(ApplicationKind, { ...found, metadata: { ...found.metadata, finalizers: [] } });
      await harness.store.delete(ApplicationKind, application);
    };
    return { ...harness, report, wait, environment, readApplication, removeApplication };
  }

  it('returns once the controller runs the image of the promotion, and notes that it reads the repo', async () => {
    const { report, wait, store } = await promote();
    await report('Healthy', 'sha256:0');
    const waiting = wait();
    await expect
      .poll(async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions)
      .toMatchObject([{ type: 'GitopsRepoReadable', status: 'True' }]);
    await report('Healthy');
    expect(await waiting).toEqual({ outcome: 'healthy', healthyAt: expect.any(String) });
  });

  it('reads the health of a deployment whose time has passed while the service was stopped', async () => {
    const { report, wait } = await promote();
    const mergedAt = new Date(Date.now() - 3_600_000).toISOString();
    await report('Progressing');
    expect(await wait({ mergedAt, timeoutMs: 300 })).toEqual({
      outcome: 'failed',
      message: 'The zone was not healthy in time: the app is starting.',
    });
    await report('Healthy');
    expect(await wait({ mergedAt })).toEqual({ outcome: 'healthy', healthyAt: expect.any(String) });
  });

  it('needs no image in a zone without replicas', async () => {
    const { report, wait } = await promote({ zone: { replicas: 0 } });
    await report('Healthy', 'sha256:0');
    expect(await wait()).toMatchObject({ outcome: 'healthy' });
  });

  it.each([
    ['at home', undefined, 'the app is degraded: No node can run the pod: no memory'],
    ['apart', 'apart', 'the app is degraded: No node can run the pod: no memory'],
    ['in a cluster that is removed meanwhile', 'removed', 'the app is degraded'],
  ])('explains a degraded app by its pod: %s', async (_, cluster, message) => {
    const objects = openTestStore();
    const there = { objects } as unknown as ZoneCluster;
    const clusters: Record<string, ZoneCluster> = { apart: there, removed: there };
    const { report, wait, store } = await promote({ zone: cluster === undefined ? {} : { cluster }, clusters });
    const pod = { namespace: ref.zone, name: 'shop-1' };
    const scheduled = { type: 'PodScheduled', status: 'False', message: 'no memory' };
    const runsIn = cluster === undefined ? store : objects;
    await runsIn.create(PodKind, { metadata: pod, spec: { containers: [] } } as never);
    await runsIn.updateStatus(PodKind, pod, () => ({ phase: 'Pending', conditions: [scheduled] }) as never);
    await report('Progressing');
    const waiting = wait();
    await expect
      .poll(async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions)
      .toBeDefined();
    delete clusters['removed'];
    await report('Degraded');
    expect(await waiting).toEqual({ outcome: 'failed', message });
  });

  it('judges a zone by its deadline and its controller while its workload cluster does not respond', async () => {
    const clusters: Record<string, ZoneCluster> = { apart: { objects: openTestStore() } as unknown as ZoneCluster };
    const { report, wait, store } = await promote({ zone: { cluster: 'apart' }, clusters });
    const fail = async () => await Promise.reject(new ServiceError('cluster-unavailable', 'It does not respond.'));
    clusters['apart'] = { objects: { create: fail, find: fail } } as unknown as ZoneCluster;
    await report('Progressing');
    const waiting = wait({ timeoutMs: 60_000 });
    await expect
      .poll(async () => (await store.get(ProductKind, { namespace, name: 'shop' })).status?.conditions)
      .toBeDefined();
    await report('Degraded');
    expect(await waiting).toEqual({ outcome: 'failed', message: 'the app is degraded' });
    await report('Progressing');
    const mergedAt = new Date(Date.now() - 3_600_000).toISOString();
    expect(await wait({ mergedAt, timeoutMs: 300 })).toEqual({
      outcome: 'failed',
      message: 'The zone was not healthy in time: the app is starting.',
    });
  });

  it('creates an Application again that a person has deleted, as long as the zone is in the spec', async () => {
    const { report, wait, readApplication, removeApplication } = await promote();
    const { uid } = (await readApplication())?.metadata ?? {};
    const waiting = wait();
    await expect.poll(async () => (await readApplication())?.metadata.annotations).toBeDefined();
    await removeApplication();
    await expect.poll(async () => (await readApplication())?.metadata.uid ?? uid).not.toBe(uid);
    await report('Healthy');
    expect(await waiting).toMatchObject({ outcome: 'healthy' });
  });

  it('leaves an Application deleted whose zone is no longer in the spec', async () => {
    const { report, wait, environment, readApplication, removeApplication, store } = await promote();
    await report('Progressing');
    const waiting = wait();
    const readProduct = async () => await store.get(ProductKind, { namespace, name: 'shop' });
    await expect.poll(async () => (await readProduct()).status?.conditions).toBeDefined();
    const product = await readProduct();
    await store.replace(ProductKind, { ...product, spec: { ...product.spec, delivery: { zones: [] } } });
    await removeApplication();
    await pause(500);
    expect(await readApplication()).toBeUndefined();
    environment.cancel('CANCELLED');
    expect(await waiting).toBeInstanceOf(CancelledFailure);
  });
});

it('fails the health check at the deadline with the last reason', async () => {
  const codehost = await connectCodehost();
  const { activities, run } = await createHarness({ codehost });
  const input = { ...ref, digest: 'sha256:1', gitopsCommit: 'c', mergedAt: new Date().toISOString(), timeoutMs: 300 };
  expect(await run(activities.waitForZoneHealth, input)).toEqual({
    outcome: 'failed',
    message: expect.stringMatching(/^The zone was not healthy in time: /),
  });
});
