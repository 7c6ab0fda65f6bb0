import { expect, it } from 'vitest';
import { mergeDockerConfig, replaceCredentials } from '../../../src/rules/registries/merge-docker-config.ts';
import type { Registry } from '../../../src/rules/registries/registry.ts';

const build = (host: string, repositoryPrefix?: string): Registry => ({
  name: 'images',
  host,
  repositoryPrefix,
  username: 'ada',
  password: 'p:ü',
  lastCheck: { access: 'pull', at: '2026-11-25T08:00:00.000Z' },
});
const own = { auth: Buffer.from('ada:p:ü').toString('base64') };
const theirs = { auth: 'eA==' };

it.each<[string, string | undefined, Registry[], object]>([
  ['no credentials', undefined, [], {}],
  ['a host', undefined, [build('registry.test')], { 'registry.test': own }],
  ['a prefix', undefined, [build('registry.test', 'acme')], { 'registry.test': own, 'registry.test/acme': own }],
  [
    'Docker Hub',
    undefined,
    [build('docker.io', 'acme')],
    { 'https://index.docker.io/v1/': own, 'docker.io/acme': own },
  ],
  [
    'Docker Hub, from which the installation pulls, too',
    JSON.stringify({ auths: { 'https://index.docker.io/v1/': theirs } }),
    [build('index.docker.io', 'acme')],
    { 'https://index.docker.io/v1/': theirs, 'docker.io/acme': own },
  ],
  [
    'another host than the installation',
    JSON.stringify({ auths: { 'base.test': theirs } }),
    [build('registry.test')],
    { 'base.test': theirs, 'registry.test': own },
  ],
  [
    'a host of the installation',
    JSON.stringify({ auths: { 'https://registry.test/v2/': theirs } }),
    [build('registry.test:443', 'acme')],
    { 'https://registry.test/v2/': theirs, 'registry.test/acme': own },
  ],
  [
    'a path of the installation',
    JSON.stringify({ auths: { 'registry.test/base': theirs } }),
    [build('registry.test')],
    { 'registry.test/base': theirs, 'registry.test': own },
  ],
])('merges the credentials of %s', (_, installation, registries, auths) => {
  expect(JSON.parse(mergeDockerConfig(installation, registries))).toEqual({ auths });
});

it('keeps the other settings of the installation', () => {
  expect(JSON.parse(mergeDockerConfig('{"auths":{},"HttpHeaders":{"X":"1"}}', []))).toEqual({
    auths: {},
    HttpHeaders: { X: '1' },
  });
});

it.each([
  ['registry.test', 'registry.test'],
  ['registry.test/team', 'registry.test:443'],
  ['https://registry.test/v2/', 'registry.test'],
  ['https://index.docker.io/v1/', 'docker.io'],
])('replaces the credentials of %s by those of %s', (key, host) => {
  const config = JSON.stringify({ auths: { [key]: theirs, 'base.test': theirs }, HttpHeaders: { X: '1' } });
  expect(JSON.parse(replaceCredentials(config, [build(host)]))).toEqual({
    auths: { [key.includes('docker.io') ? key : 'registry.test']: own, 'base.test': theirs },
    HttpHeaders: { X: '1' },
  });
});
