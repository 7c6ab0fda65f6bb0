import { expect, it } from 'vitest';
import {
  holdsRepository,
  toApiHost,
  toAuthKey,
  toCanonicalHost,
} from '../../../src/rules/registries/registry-address.ts';

it.each([
  ['registry.example.com', 'registry.example.com', 'registry.example.com', 'registry.example.com'],
  ['registry.example.com:443', 'registry.example.com', 'registry.example.com:443', 'registry.example.com'],
  ['127.0.0.1:5000', '127.0.0.1:5000', '127.0.0.1:5000', '127.0.0.1:5000'],
  ['docker.io', 'docker.io', 'registry-1.docker.io', 'https://index.docker.io/v1/'],
  ['index.docker.io', 'docker.io', 'registry-1.docker.io', 'https://index.docker.io/v1/'],
])('knows the names of %s', (host, canonical, api, key) => {
  expect([toCanonicalHost(host), toApiHost(host), toAuthKey(host)]).toEqual([canonical, api, key]);
});

it.each([
  ['registry.test', undefined, 'registry.test/acme/shop', true],
  ['registry.test:443', undefined, 'registry.test/acme/shop', true],
  ['registry.test', 'acme', 'registry.test/acme/shop', true],
  ['registry.test', 'acme/shop', 'registry.test/acme/shop', true],
  ['registry.test', 'ac', 'registry.test/acme/shop', false],
  ['registry.test', 'acme/shop/web', 'registry.test/acme/shop', false],
  ['other.test', undefined, 'registry.test/acme/shop', false],
  ['registry.test:5000', undefined, 'registry.test/acme/shop', false],
  ['docker.io', 'acme', 'index.docker.io/acme/shop', true],
])('%s with the prefix %s: whether it holds %s is %s', (host, repositoryPrefix, repository, expected) => {
  expect(holdsRepository({ host, repositoryPrefix }, repository)).toBe(expected);
});
