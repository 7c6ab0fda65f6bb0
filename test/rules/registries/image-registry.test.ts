import { expect, it } from 'vitest';
import {
  applyImageRegistry,
  type ImageRegistry,
  readImageRegistry,
  toImageRegistryData,
} from '../../../src/rules/registries/image-registry.ts';
import { imagesRegistry as images } from '../../support/registries/images-registry.ts';

const settings: ImageRegistry = {
  push: { ...images, name: 'push', repositoryPrefix: 'delivery', username: 'builds' },
  pull: { ...images, name: 'pull', repositoryPrefix: 'delivery', username: 'zones' },
  previous: [{ ...images, name: 'previous-1', host: 'old.test' }],
};
const first = {
  imageRepository: (org: string, product: string) => `base.test/${org}-${product}`,
  registry: {
    push: '{"auths":{"base.test":{"auth":"push"},"registry.test":{"auth":"push"}}}',
    pull: '{"auths":{"base.test":{"auth":"pull"}}}',
  },
};
const toAuth = (username: string) => ({ auth: Buffer.from(`${username}:correct-horse`).toString('base64') });

it('is read as it was written', () => {
  expect(readImageRegistry({ data: toImageRegistryData(settings) })).toEqual(settings);
});

it.each([
  ['missing', undefined],
  ['without an account that pulls', { data: toImageRegistryData({ ...settings, pull: { ...images, host: '' } }) }],
])('is none while the Secret is %s', (_, secret) => {
  expect(readImageRegistry(secret)).toBeUndefined();
});

it('gives each org a path of its own', () => {
  const { imageRepository } = applyImageRegistry(first, settings);
  expect([imageRepository('acme', 'shop-web'), imageRepository('acme-shop', 'web')]).toEqual([
    'registry.test/delivery/acme/shop-web',
    'registry.test/delivery/acme-shop/web',
  ]);
});

it('pushes with one account and pulls with another, also from where images were before', () => {
  const { registry } = applyImageRegistry(first, settings);
  expect(JSON.parse(registry.push ?? '')).toEqual({
    auths: {
      'base.test': { auth: 'push' },
      'registry.test': toAuth('builds'),
      'registry.test/delivery': toAuth('builds'),
    },
  });
  expect(JSON.parse(registry.pull ?? '')).toEqual({
    auths: {
      'base.test': { auth: 'pull' },
      'old.test': toAuth('ada'),
      'old.test/acme': toAuth('ada'),
      'registry.test': toAuth('zones'),
      'registry.test/delivery': toAuth('zones'),
    },
  });
});

it('keeps the account of zones that run images below another path of the same host', () => {
  const environment = { 'registry.test': { auth: 'push' }, 'registry.test/before': { auth: 'path' } };
  const config = JSON.stringify({ auths: environment });
  const { registry } = applyImageRegistry({ ...first, registry: { push: config, pull: config } }, settings);
  expect(JSON.parse(registry.pull ?? '')).toMatchObject({
    auths: { ...environment, 'registry.test/delivery': toAuth('zones') },
  });
  // Most builders know one account per host.
  expect(JSON.parse(registry.push ?? '').auths).toEqual({
    'registry.test': toAuth('builds'),
    'registry.test/delivery': toAuth('builds'),
  });
});
