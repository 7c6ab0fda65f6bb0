import { expect, it } from 'vitest';
import { explainPushFailure, prepareDestination } from '../../../activities/releases/build-destination.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Registries } from '../../../src/integrations/registries/registries.ts';
import { readSecretText, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { imageRegistryRef, toImageRegistryData } from '../../../src/rules/registries/image-registry.ts';
import { registriesSecretName, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { imagesRegistry as images } from '../../support/registries/images-registry.ts';

const namespace = 'org-acme';
const ref = { org: 'acme', product: 'shop' };

async function start(check: Registries['check'], { isOneMachine = false } = {}) {
  const store = openTestStore();
  await store.create(ProductKind, {
    metadata: { namespace, name: 'shop' },
    spec: { repos: [], delivery: { zones: [], registry: 'images' } },
  });
  const metadata = { namespace, name: registriesSecretName };
  await store.create(SecretKind, { metadata, data: toRegistriesData([images]) });
  return {
    store,
    registry: { push: undefined, pull: undefined },
    registries: { check },
    imageRepository: (org: string, product: string) => `base.test/${org}/${product}`,
    ...(isOneMachine && { isImageDeleted: async () => false }),
  };
}

it('gives builds a Secret of their own again and again, and leaves that of an operator', async () => {
  const deps = await start(async () => 'pull-and-push');
  const expected = { repository: 'registry.test/acme/shop', pushSecret: 'registry-push-org' };
  const secret = { namespace, name: 'registry-push-org' };
  for (let round = 0; round < 2; round += 1) expect(await prepareDestination(deps, ref)).toEqual(expected);
  await deps.store.delete(SecretKind, secret);
  const data = toSecretData({ '.dockerconfigjson': '{"auths":{"own":{}}}' });
  await deps.store.create(SecretKind, { metadata: secret, data });
  expect(await prepareDestination(deps, ref)).toEqual(expected);
  expect((await deps.store.get(SecretKind, secret)).data).toEqual(data);
});

it('pushes to no registry of the org on one machine, and asks none', async () => {
  const check = async () => await Promise.reject(new Error('asked'));
  const deps = await start(check, { isOneMachine: true });
  expect(await prepareDestination(deps, ref)).toMatchObject({ repository: 'base.test/acme/shop' });
  expect(await explainPushFailure(deps, ref)).toBeUndefined();
});

it('explains a failed build by its registry only when that refuses', async () => {
  expect(await explainPushFailure(await start(async () => 'pull-and-push'), ref)).toBeUndefined();
  expect(await explainPushFailure(await start(async () => 'pull'), ref)).toMatchObject({
    reason: expect.stringContaining('pull but not push'),
  });
  const away = new ServiceError('registry-unavailable', 'It is away.');
  expect(await explainPushFailure(await start(async () => await Promise.reject(away)), ref)).toBeUndefined();
});

it('retries after a fault of the service', async () => {
  const deps = await start(async () => await Promise.reject(new Error('a fault')));
  await expect(prepareDestination(deps, ref)).rejects.toThrow('a fault');
});

it('pushes to the registry that an admin has set, with its account, when the Product names none', async () => {
  const deps = await start(async () => 'pull-and-push');
  const product = await deps.store.get(ProductKind, { namespace, name: 'shop' });
  await deps.store.replace(ProductKind, { ...product, spec: { repos: [], delivery: { zones: [] } } });
  const push = { ...images, repositoryPrefix: 'delivery', username: 'builds' };
  const data = toImageRegistryData({ push, pull: images, previous: [] });
  await deps.store.create(SecretKind, { metadata: imageRegistryRef, data });
  const expected = { repository: 'registry.test/delivery/acme/shop', pushSecret: 'registry-push' };
  expect(await prepareDestination(deps, ref)).toEqual(expected);
  const secret = await deps.store.get(SecretKind, { namespace, name: 'registry-push' });
  expect(JSON.parse(readSecretText(secret, '.dockerconfigjson') ?? '')).toMatchObject({
    auths: { 'registry.test': { auth: Buffer.from('builds:correct-horse').toString('base64') } },
  });
});
