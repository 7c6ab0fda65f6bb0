import { expect, it } from 'vitest';
import { createRegistryAccessActivities } from '../../../activities/environments/registry-access-activities.ts';
import { ensureZoneNamespace } from '../../../activities/environments/zone-namespace.ts';
import { loadConfig } from '../../../src/config.ts';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';
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
  });
  return {
    store,
    addProduct,
    refresh: async () => await refreshRegistryAccess({ org: 'acme' }),
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
  const { store, addProduct, save, refresh, readAuths } = await start();
  const ensureOwn = await addProduct('acme', 'shop', ['shop-rc', 'shop-new', 'taken']);
  const ensureOther = await addProduct('other', 'blog', ['blog-rc', 'taken']);
  await ensureOwn('shop-rc');
  await ensureOther('blog-rc');
  await ensureOther('taken');
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

  await store.delete(SecretKind, push);
  await store.create(SecretKind, { metadata: push, data: {} });
  await save(images('second'));
  await refresh();
  expect(await readAuths(push)).toBeUndefined();
});
