import { expect, it } from 'vitest';
import { createRegistryAccessActivities } from '../../../activities/environments/registry-access-activities.ts';
import { ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind, type ZoneStatus } from '../../../src/rules/products/kinds.ts';
import { imageRegistryRef, toImageRegistryData } from '../../../src/rules/registries/image-registry.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const namespace = 'org-acme';
const installation = '{"auths":{"base.test":{"auth":"eA=="}}}';
const lastCheck = { access: 'pull' as const, at: '2026-11-25T08:00:00.000Z' };
const images = (password: string): Registry => ({
  name: 'images',
  host: 'registry.test',
  username: 'ada',
  password,
  lastCheck,
});

async function start() {
  const store = openTestStore();
  const { network } = loadConfig({});
  const addProduct = async (org: string, name: string, zones: string[]) => {
    const spec = { repos: [`${org}/${name}`], delivery: { zones: zones.map((zone) => ({ name: zone })) } };
    const { metadata } = await store.create(ProductKind, { metadata: { namespace: `org-${org}`, name }, spec });
    return async (zone: string) =>
      await ensureZoneNamespace(store, { org, product: name, zone, uid: metadata.uid }, { network, access: 'public' });
  };
  const { refreshRegistryAccess } = createRegistryAccessActivities({
    store,
    registry: { push: undefined, pull: installation },
    imageRepository: (org, product) => `base.test/${org}/${product}`,
  });
  return {
    store,
    addProduct,
    refresh: async () => await refreshRegistryAccess({ org: 'acme' }),
    recordZone: async (zone: string, status: Partial<ZoneStatus>) =>
      await store.updateStatus(ProductKind, { namespace, name: 'shop' }, (product) => ({
        ...product.status,
        zones: [{ name: zone, ...status }],
      })),
    addRelease: async (name: string, imageRepository: string) => {
      const spec = { product: 'shop', repo: 'acme/shop', commit: 'c1', version: 'v0.1.0', startedBy: 'ada' };
      await store.create(ReleaseKind, { metadata: { namespace, name }, spec });
      const status = { phase: 'Succeeded' as const, imageRepository, zones: [] };
      await store.updateStatus(ReleaseKind, { namespace, name }, () => status);
    },
    save: async (...registries: Registry[]) =>
      await store.put(SecretKind, {
        metadata: { namespace, name: registriesSecretName },
        data: toRegistriesData(registries),
      }),
    readAuths: async (ref: { namespace: string; name: string }) => {
      const text = readSecretText(await store.find(SecretKind, ref), '.dockerconfigjson');
      return text === undefined ? undefined : (JSON.parse(text) as { auths: Record<string, { auth: string }> }).auths;
    },
  };
}

it('gives the credentials to the zones of the org, replaces them, and takes those of a deleted registry away', async () => {
  const { store, addProduct, recordZone, save, refresh, readAuths } = await start();
  const ensureOwn = await addProduct('acme', 'shop', ['shop-rc', 'shop-new', 'taken']);
  const ensureOther = await addProduct('other', 'blog', ['blog-rc', 'taken']);
  await ensureOwn('shop-rc');
  await ensureOther('blog-rc');
  await ensureOther('taken');
  await recordZone('shop-rc', { imageRepository: 'registry.test/shop' });
  const readPull = async (zone: string) => await readAuths({ namespace: zone, name: 'registry-pull' });
  const toAuth = (password: string) => ({ auth: Buffer.from(`ada:${password}`).toString('base64') });

  for (const password of ['first', 'second']) {
    await save(images(password));
    await refresh();
    expect(await readPull('shop-rc')).toEqual({ 'base.test': { auth: 'eA==' }, 'registry.test': toAuth(password) });
  }
  const { type, metadata } = await store.get(SecretKind, { namespace: 'shop-rc', name: 'registry-pull' });
  expect(type).toBe('kubernetes.io/dockerconfigjson');
  await refresh();
  const again = await store.get(SecretKind, { namespace: 'shop-rc', name: 'registry-pull' });
  expect(again.metadata.resourceVersion).toBe(metadata.resourceVersion);
  // A zone without a namespace gets its Secret with it, and the namespace of another org gets none.
  for (const zone of ['shop-new', 'taken', 'blog-rc']) expect(await readPull(zone)).toBeUndefined();

  await save();
  await refresh();
  expect(await readPull('shop-rc')).toEqual({ 'base.test': { auth: 'eA==' } });
});

it('replaces the credentials that builds have, and leaves those of an operator', async () => {
  const { store, save, refresh, readAuths } = await start();
  const push = { namespace, name: 'registry-push' };
  await save(images('first'));
  await refresh();
  expect(await readAuths(push)).toBeUndefined();
  const managed = { 'app.kubernetes.io/managed-by': 'service.delivery' };
  await store.create(SecretKind, { metadata: { ...push, labels: managed }, data: {} });
  await refresh();
  expect(Object.keys((await readAuths(push)) ?? {})).toEqual(['registry.test']);
  await save();
  await refresh();
  expect(await readAuths(push)).toEqual({});

  const orgPush = { namespace, name: 'registry-push-org' };
  await store.create(SecretKind, { metadata: { ...orgPush, labels: managed }, data: {} });
  await save(images('third'));
  await refresh();
  expect(await readAuths(orgPush)).toEqual({
    'base.test': { auth: 'eA==' },
    'registry.test': { auth: Buffer.from('ada:third').toString('base64') },
  });

  await store.delete(SecretKind, push);
  await store.create(SecretKind, { metadata: push, data: {} });
  await save(images('second'));
  await refresh();
  expect(await readAuths(push)).toBeUndefined();
});

it('gives a zone the credentials of the registries that its images come from, and of no others', async () => {
  const { addProduct, recordZone, addRelease, save, refresh, readAuths } = await start();
  const ensureZone = await addProduct('acme', 'shop', ['shop-rc']);
  await ensureZone('shop-rc');
  const other = { ...images('second'), name: 'other', host: 'other.test', repositoryPrefix: 'team' };
  await save(images('first'), other);
  const readHosts = async () => {
    await refresh();
    return Object.keys((await readAuths({ namespace: 'shop-rc', name: 'registry-pull' })) ?? {}).toSorted();
  };
  expect(await readHosts()).toEqual(['base.test']);
  await addRelease('shop-v0.1.0', 'registry.test/shop');
  await recordZone('shop-rc', { release: 'shop-v0.1.0', imageRepository: 'registry.test/shop' });
  expect(await readHosts()).toEqual(['base.test', 'registry.test']);
  // Pods of the Release that runs may start again until those of the next one run.
  await recordZone('shop-rc', { release: 'shop-v0.1.0', imageRepository: 'other.test/team/shop' });
  expect(await readHosts()).toEqual(['base.test', 'other.test', 'other.test/team', 'registry.test']);
  await recordZone('shop-rc', { release: 'shop-v0.1.0', imageRepository: 'other.test/stranger/shop' });
  expect(await readHosts()).toEqual(['base.test', 'registry.test']);
});

it('gives zones the account that pulls from the registry that an admin has set, and never the one that pushes', async () => {
  const { store, addProduct, refresh, readAuths } = await start();
  await (
    await addProduct('acme', 'shop', ['shop-rc'])
  )('shop-rc');
  const data = toImageRegistryData({ push: images('pushes'), pull: images('pulls'), previous: [] });
  await store.create(SecretKind, { metadata: imageRegistryRef, data });
  await refresh();
  expect(await readAuths({ namespace: 'shop-rc', name: 'registry-pull' })).toEqual({
    'base.test': { auth: 'eA==' },
    'registry.test': { auth: Buffer.from('ada:pulls').toString('base64') },
  });
});
