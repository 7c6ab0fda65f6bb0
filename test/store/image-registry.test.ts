import { expect, it } from 'vitest';
import { SecretKind } from '../../src/kinds/kubernetes.ts';
import { imageRegistryRef, toImageRegistryData } from '../../src/rules/registries/image-registry.ts';
import { readImageRepository, readInstallationImages } from '../../src/store/image-registry.ts';
import { openTestStore } from '../support/open-test-store.ts';
import { imagesRegistry as images } from '../support/registries/images-registry.ts';

const first = {
  imageRepository: (org: string, product: string) => `base.test/${org}/${product}`,
  registry: { push: undefined, pull: undefined },
};

it('reads the registry of the environment until an admin sets another one', async () => {
  const store = openTestStore();
  expect(await readInstallationImages(store, first)).toBe(first);
  expect((await readImageRepository(store, first.imageRepository))('acme', 'shop')).toBe('base.test/acme/shop');
  const data = toImageRegistryData({ push: images, pull: images, previous: [] });
  await store.create(SecretKind, { metadata: imageRegistryRef, data });
  expect((await readInstallationImages(store, first)).registry.pull).toContain('registry.test/acme');
  expect((await readImageRepository(store, first.imageRepository))('beta', 'shop')).toBe(
    'registry.test/acme/beta/shop',
  );
});
