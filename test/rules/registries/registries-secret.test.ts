import { expect, it } from 'vitest';
import { toSecretData } from '../../../src/kinds/kubernetes.ts';
import { readRegistries, toRegistriesData } from '../../../src/rules/registries/registries-secret.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';

const lastCheck = { access: 'pull-and-push' as const, at: '2026-11-25T08:00:00.000Z' };
const hub: Registry = { name: 'hub', host: 'docker.io', username: 'ada', password: '{\n "key": "ü"\n}', lastCheck };
const images: Registry = { ...hub, name: 'images', host: 'registry.test:5000', repositoryPrefix: 'acme/team' };

it('reads what it writes, sorted by name', () => {
  expect(readRegistries({ data: toRegistriesData([images, hub]) })).toEqual([hub, images]);
  expect(readRegistries(undefined)).toEqual([]);
});

it('leaves out a registry that is incomplete or invalid', () => {
  const data = toRegistriesData([hub, images]);
  delete data['hub.password'];
  expect(readRegistries({ data })).toEqual([images]);
  expect(readRegistries({ data: { ...data, ...toSecretData({ 'images.host': 'a b' }) } })).toEqual([]);
});
