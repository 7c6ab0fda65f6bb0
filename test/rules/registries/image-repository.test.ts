import { expect, it } from 'vitest';
import type { Product } from '../../../src/rules/products/kinds.ts';
import { listImageRepositories, toImageRepository } from '../../../src/rules/registries/image-repository.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';

const account = {
  username: 'ada',
  password: 'p',
  lastCheck: { access: 'pull', at: '2026-11-25T08:00:00.000Z' },
} as const;
const images: Registry = { name: 'images', host: 'registry.test', repositoryPrefix: 'acme/team', ...account };

it.each([
  ['registry.test:5000', 'acme', 'registry.test:5000/acme/shop'],
  ['registry.test:443', 'acme/team', 'registry.test/acme/team/shop'],
  ['index.docker.io', 'acme', 'docker.io/acme/shop'],
  ['registry.test', undefined, 'registry.test/shop'],
])('names the repository in %s below %s', (host, repositoryPrefix, expected) => {
  expect(toImageRepository({ host, repositoryPrefix }, 'shop')).toBe(expected);
});

const list = (registry?: string, zones: object[] = []): string[] =>
  listImageRepositories(
    {
      metadata: { name: 'shop' },
      spec: { delivery: { registry, zones: [] } },
      status: { zones },
    } as unknown as Product,
    { registries: [images], installation: 'base.test/acme/shop' },
  );

it('lists where the next build pushes, and where the images of zones are', () => {
  expect(list()).toEqual(['base.test/acme/shop']);
  expect(list('images')).toEqual(['registry.test/acme/team/shop']);
  expect(list('gone')).toEqual(['base.test/acme/shop']);
  expect(list('images', [{ name: 'shop-rc' }])).toEqual(['registry.test/acme/team/shop']);
  const running = [
    { name: 'shop-rc', release: 'shop-v0.2.0', imageRepository: 'old.test/shop' },
    { name: 'shop-prod', release: 'shop-v0.1.0' },
  ];
  expect(list('images', running)).toEqual(['registry.test/acme/team/shop', 'old.test/shop', 'base.test/acme/shop']);
});
