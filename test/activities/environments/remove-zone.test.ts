import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ignoreUnreachableRepo, removeZoneResources } from '../../../activities/environments/remove-zone.ts';
import { isNonRetryable } from '../../../activities/to-failure.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { OrgCodehost } from '../../../src/integrations/codehost/codehost.ts';
import { ApplicationKind, type ApplicationStatus, cascadeFinalizer } from '../../../src/kinds/argo-cd.ts';
import { ConfigMapKind, NamespaceKind } from '../../../src/kinds/kubernetes.ts';
import { zoneNamespaceLabels } from '../../../src/rules/environments/zone-namespace.ts';
import { ProductKind, type ZoneSpec } from '../../../src/rules/products/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const ref = { org: 'acme', product: 'shop', zone: 'shop-prod' };
const namespace = 'org-acme';
const application = { namespace, name: ref.zone };
const since = '2026-01-01T00:00:00.000Z';

type HarnessOptions = { zones?: ZoneSpec[]; finalizers?: string[]; readFile?: () => Promise<undefined> };

/** Stores a Product whose spec no longer has the zone, with the zone's Application, namespace and reservations. */
async function createHarness({ zones = [], finalizers = ['test/keep'], readFile }: HarnessOptions = {}) {
  const store = openTestStore();
  const product = { namespace, name: ref.product };
  const { metadata } = await store.create(ProductKind, { metadata: product, spec: { repos: [], delivery: { zones } } });
  await store.updateStatus(ProductKind, product, () => ({ zones: [{ name: 'shop-rc' }, { name: ref.zone }] }));
  await store.create(ApplicationKind, {
    metadata: { ...application, finalizers },
    spec: {
      project: namespace,
      source: { repoURL: 'https://code.test/acme/gitops.git', path: '.', targetRevision: 'main' },
      destination: { namespace: ref.zone },
    },
  });
  const labels = zoneNamespaceLabels({ ...ref, uid: metadata.uid });
  await store.create(NamespaceKind, { metadata: { namespace: '', name: ref.zone, labels } });
  const reserve = async (name: string, data: Record<string, string>) =>
    await store.create(ConfigMapKind, { metadata: { namespace: 'service-system', name }, data });
  const owner = { org: ref.org, product: ref.product };
  await reserve('zone-shop-prod', owner);
  await reserve('address-www', { ...owner, zone: ref.zone });
  const kept = ['address-blog', 'address-rc', 'address-theirs', 'product-shop', 'zone-shop-rc'];
  await reserve('address-rc', { ...owner, zone: 'shop-rc' });
  await reserve('address-theirs', { ...owner, org: 'other', zone: ref.zone });
  await reserve('address-blog', { ...owner, product: 'blog', zone: ref.zone });
  await reserve('product-shop', owner);
  await reserve('zone-shop-rc', owner);

  const readApplication = async () => await store.find(ApplicationKind, application);
  const readZones = async () => (await store.find(ProductKind, product))?.status?.zones;
  const readRemoval = async () => (await readZones())?.find(({ name }) => name === ref.zone)?.removal;
  const listReservations = async () => (await store.list(ConfigMapKind)).items.map(({ metadata: { name } }) => name);
  /** Removes what keeps the Application, as the controller does once the app is gone. */
  const finishApplication = async () => {
    const found = await store.get(ApplicationKind, application);
    await store.replace(ApplicationKind, { ...found, metadata: { ...found.metadata, finalizers: [] } });
  };
  const host = {
    ensureRepository: async () => ({ defaultBranch: 'main' }),
    listOpenPullRequests: async () => [],
    readFile: async () => await readFile?.(),
  } as unknown as OrgCodehost;
  const remove = async (environment = new MockActivityEnvironment(), at = since) =>
    await environment.run(async () => {
      const deps = { store, codehost: { forOrg: async () => host }, now: () => new Date(at), argoCdNamespace: 'a' };
      await removeZoneResources(deps, { ...ref, by: 'ada', repo: 'acme/gitops' });
    });
  const untilDeleting = async () =>
    await expect.poll(async () => (await readApplication())?.metadata.deletionTimestamp).toBeDefined();
  return {
    store,
    kept,
    readApplication,
    readZones,
    readRemoval,
    listReservations,
    finishApplication,
    remove,
    untilDeleting,
  };
}

describe('removeZoneResources', () => {
  it('leaves a zone alone that is in the spec again', async () => {
    const { remove, store, readApplication, listReservations, readRemoval } = await createHarness({
      zones: [{ name: ref.zone, promotionPolicy: 'automatic' }],
    });
    await remove();
    expect((await readApplication())?.metadata).toMatchObject({ finalizers: ['test/keep'] });
    expect((await readApplication())?.metadata.deletionTimestamp).toBeUndefined();
    expect(await store.find(NamespaceKind, { namespace: '', name: ref.zone })).toBeDefined();
    expect(await listReservations()).toHaveLength(7);
    expect(await readRemoval()).toBeUndefined();
  });

  it('removes the app before the name is free again, and nothing of other zones', async () => {
    const seen: unknown[] = [];
    const harness = await createHarness({
      readFile: async () => {
        const found = await harness.readApplication();
        seen.push(found?.metadata.finalizers, found?.metadata.deletionTimestamp, await harness.readRemoval());
        return undefined;
      },
    });
    const { remove, untilDeleting, readApplication, readZones, listReservations, store, kept } = harness;
    const removing = remove();
    await untilDeleting();
    // The files are removed while nothing else is, but the controller will delete what it has deployed.
    const message = 'its files are being removed from the gitops repo';
    expect(seen).toEqual([
      ['test/keep', cascadeFinalizer],
      undefined,
      { by: 'ada', since, step: 'files', message, remaining: [] },
    ]);
    expect(await listReservations()).toHaveLength(7);
    expect(await store.find(NamespaceKind, { namespace: '', name: ref.zone })).toBeDefined();
    await harness.finishApplication();
    await removing;
    expect(await readApplication()).toBeUndefined();
    expect(await store.find(NamespaceKind, { namespace: '', name: ref.zone })).toBeUndefined();
    expect(await listReservations()).toEqual(kept);
    expect(await readZones()).toEqual([{ name: 'shop-rc' }]);
    // A repeated removal finds nothing.
    await remove();
    expect(await listReservations()).toEqual(kept);
  });

  it('names the person who deleted the Product, whom the workflow does not know after a restore', async () => {
    const { store, remove, untilDeleting, readRemoval, finishApplication } = await createHarness();
    await store.updateStatus(ProductKind, { namespace, name: ref.product }, ({ status }) => ({
      ...status,
      deletionMessage: 'its zones are being removed',
      deletedBy: 'grace@example.com',
    }));
    const removing = remove();
    await untilDeleting();
    expect(await readRemoval()).toMatchObject({ by: 'grace@example.com' });
    await finishApplication();
    await removing;
  });

  it('adds its finalizer although another process changes the Application', async () => {
    const { store, ...harness } = await createHarness();
    const { replace } = store;
    const raced = vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
      await store.updateStatus(ApplicationKind, application, () => ({ reconciledAt: since }));
      return await replace(kind, object);
    });
    onTestFinished(() => raced.mockRestore());
    const removing = harness.remove();
    await harness.untilDeleting();
    expect((await harness.readApplication())?.metadata.finalizers).toContain(cascadeFinalizer);
    await harness.finishApplication();
    await removing;
  });

  it('goes on when a person deletes the Application before it gets its finalizer', async () => {
    const { store, remove, readZones } = await createHarness({ finalizers: [] });
    const { replace } = store;
    const raced = vi.spyOn(store, 'replace').mockImplementationOnce(async (kind, object) => {
      await store.delete(ApplicationKind, application);
      return await replace(kind, object);
    });
    onTestFinished(() => raced.mockRestore());
    await remove();
    expect(await readZones()).toEqual([{ name: 'shop-rc' }]);
  });

  it('shows what remains when the controller needs long', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, remove, untilDeleting, readRemoval, finishApplication } = await createHarness();
    const setStatus = async (status: ApplicationStatus) =>
      await store.updateStatus(ApplicationKind, application, () => status);
    await setStatus({ resources: [{ kind: 'Deployment', name: 'shop' }] });
    const removing = remove();
    await untilDeleting();
    expect((await readRemoval())?.remaining).toEqual([]);
    vi.setSystemTime(Date.now() + 6_000);
    await expect.poll(async () => (await readRemoval())?.remaining).toEqual(['Deployment/shop']);
    expect(await readRemoval()).toMatchObject({ message: 'the controller is still removing the deployed resources' });
    await setStatus({ resources: [] });
    await expect.poll(async () => (await readRemoval())?.remaining).toEqual(['Application/shop-prod']);
    await finishApplication();
    await removing;
  });

  it('says why the controller cannot remove the app, and what to do when its cluster is gone', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { store, remove, untilDeleting, readRemoval, finishApplication } = await createHarness();
    const resources = [{ kind: 'Deployment', name: 'shop' }];
    await store.updateStatus(ApplicationKind, application, () => ({ resources }));
    const removing = remove();
    await untilDeleting();
    vi.setSystemTime(Date.now() + 6_000);
    await expect.poll(async () => (await readRemoval())?.remaining).toEqual(['Deployment/shop']);
    const conditions = [{ type: 'DeletionError', message: 'dial tcp 192.0.2.7:443: i/o timeout.' }];
    await store.updateStatus(ApplicationKind, application, () => ({ resources, conditions }));
    const message = 'the controller cannot remove the deployed resources: dial tcp 192.0.2.7:443: i/o timeout';
    await expect.poll(async () => (await readRemoval())?.message).toBe(message);
    const { spec, ...found } = await store.get(ApplicationKind, application);
    const destination = { name: 'apart', namespace: ref.zone };
    await store.replace(ApplicationKind, { ...found, spec: { ...spec, destination } });
    const fix = 'If the cluster "apart" is gone for good, an operator removes it from Argo CD';
    await expect.poll(async () => (await readRemoval())?.message).toBe(`${message}. ${fix}`);
    await finishApplication();
    await removing;
  });

  it('leaves a namespace alone that is not its own, and removes a zone of a Product that is gone', async () => {
    const { store, remove, kept, listReservations } = await createHarness({ finalizers: [cascadeFinalizer] });
    await store.delete(ProductKind, { namespace, name: ref.product });
    const environment = new MockActivityEnvironment();
    const removing = remove(environment);
    await expect
      .poll(async () => (await store.get(ApplicationKind, application)).metadata.deletionTimestamp)
      .toBeDefined();
    const found = await store.get(ApplicationKind, application);
    await store.replace(ApplicationKind, { ...found, metadata: { ...found.metadata, finalizers: [] } });
    await removing;
    expect(await store.find(NamespaceKind, { namespace: '', name: ref.zone })).toBeDefined();
    expect(await listReservations()).toEqual(kept);
  });

  it('keeps the address that has moved to another zone of the Product', async () => {
    const addresses = [{ domain: 'example.net', name: 'www' }];
    const zones: ZoneSpec[] = [{ name: 'shop-rc', promotionPolicy: 'automatic', addresses }];
    const { store, remove, untilDeleting, finishApplication, listReservations } = await createHarness({ zones });
    const reservation = await store.get(ConfigMapKind, { namespace: 'service-system', name: 'address-www' });
    await store.replace(ConfigMapKind, { ...reservation, data: { ...reservation.data, host: 'www.example.net' } });
    const removing = remove();
    await untilDeleting();
    await finishApplication();
    await removing;
    expect(await listReservations()).toContain('address-www');
    expect(await listReservations()).not.toContain('zone-shop-prod');
  });

  it('stops waiting when it is cancelled', async () => {
    const { remove, untilDeleting, listReservations } = await createHarness();
    const environment = new MockActivityEnvironment();
    const removing = remove(environment);
    const thrown = removing.catch((error: unknown) => error);
    await untilDeleting();
    environment.cancel('CANCELLED');
    expect(await thrown).toMatchObject({ name: 'AbortError' });
    expect(await listReservations()).toHaveLength(7);
  });

  it.each([
    ['Application', 'application', 'its Application cannot be deleted: A policy protects it.'],
    ['Namespace', 'namespace', 'its namespace cannot be deleted: A policy protects it.'],
  ])('says that the %s may not be deleted, and is tried again', async (kind, step, message) => {
    const { store, remove, untilDeleting, finishApplication, readRemoval, listReservations } = await createHarness();
    const { delete: deleteObject } = store;
    const refused = vi.spyOn(store, 'delete').mockImplementation(async (deleted, ...rest) => {
      if (deleted.kind === kind) throw new ServiceError('cluster-access-denied', 'A policy protects it.');
      await deleteObject(deleted, ...rest);
    });
    onTestFinished(() => refused.mockRestore());
    const removing = remove().catch((error: unknown) => error);
    if (step === 'namespace') {
      await untilDeleting();
      await finishApplication();
    }
    const failure = await removing;
    expect(failure).toMatchObject({ message: 'A policy protects it.' });
    expect(isNonRetryable(failure)).toBe(false);
    expect(await readRemoval()).toMatchObject({ step, message });
    expect(await listReservations()).toHaveLength(7);
  });

  it('stops at an unreachable gitops repo and says so, until the Product is deleted', async () => {
    const readFile = async () => await Promise.reject(new ServiceError('not-found', 'The repo is gone.'));
    const { store, remove, untilDeleting, readApplication, finishApplication, readRemoval } = await createHarness({
      readFile,
    });
    const fifthAttempt = () => new MockActivityEnvironment({ attempt: 5 });
    const failure = await remove(fifthAttempt()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'The repo is gone.' });
    // The removal is tried again by the same workflow, which a deletion of the Product waits for.
    expect(isNonRetryable(failure)).toBe(false);
    expect((await readRemoval())?.message).toBe('its files are still in the gitops repo: The repo is gone.');
    expect((await readApplication())?.metadata.deletionTimestamp).toBeUndefined();
    await store.updateStatus(ProductKind, { namespace, name: ref.product }, ({ status }) => ({
      ...status,
      deletionMessage: 'its zones are being removed',
    }));
    const removing = remove(fifthAttempt(), '2026-01-01T01:00:00.000Z');
    await untilDeleting();
    expect(await readRemoval()).toMatchObject({ step: 'files', since });
    await finishApplication();
    await removing;
  });
});

describe('ignoreUnreachableRepo', () => {
  it.each([
    ['tries again after an error that may pass', 3, new Error('timeout'), false],
    ['gives up after four attempts', 4, new Error('timeout'), true],
    ['gives up at once when a retry cannot help', 1, new ServiceError('not-found', 'The repo is gone.'), true],
    ['tries again while the code host is away', 1, new ServiceError('codehost-unreachable', 'It is away.'), false],
  ])('%s', async (_, attempt, error, isIgnored) => {
    const environment = new MockActivityEnvironment({ attempt });
    const fail = async () => await Promise.reject(error);
    const thrown = await environment.run(async () => await ignoreUnreachableRepo(fail).catch((reason) => reason));
    expect(thrown).toBe(isIgnored ? undefined : error);
  });
});
