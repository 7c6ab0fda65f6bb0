import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseChartName, parseValues, resolveValuesPath } from '../../../src/emulators/cluster/values-file.ts';
import type { Application } from '../../../src/kinds/argo-cd.ts';

const values = {
  image: { repository: 'registry.local/acme/hello', digest: `sha256:${'0'.repeat(64)}` },
  release: { name: 'hello-v1.0.0', version: 'v1.0.0', commit: 'c0ffee' },
  replicas: 2,
  ingress: { hosts: ['Hello.localhost'], access: 'public' },
  resources: { limits: { memory: '256Mi' } },
  persistence: [{ name: 'data', size: '1Gi', mountPath: '/data' }],
  strategy: 'Recreate',
};
const createApplication = (...valueFiles: string[]): Application =>
  ({ spec: { source: { path: 'products/hello/chart', helm: { valueFiles } } } }) as unknown as Application;

it('converts a values file to the desired state', () => {
  expect(parseValues(stringify(values))).toMatchObject({
    hosts: ['hello.localhost'],
    access: 'public',
    volumes: [{ name: 'data', bytes: 2 ** 30 }],
    memoryLimitBytes: 256 * 2 ** 20,
  });
});

it('finds the name of a chart', () => {
  expect(parseChartName('apiVersion: v2\nname: "hello"\n')).toBe('hello');
  for (const text of ['', 'apiVersion: v2', 'name: 1']) expect(parseChartName(text)).toBeUndefined();
});

it.each([
  ['a missing setting', { ...values, strategy: undefined }],
  ['an image tag instead of a digest', { ...values, image: { ...values.image, digest: 'latest' } }],
  ['too many replicas', { ...values, replicas: 21 }],
])('rejects %s', (_, invalid) => {
  expect(() => parseValues(stringify(invalid))).toThrow('The values file is invalid');
});

it.each([
  ['/zones/hello.yaml', 'zones/hello.yaml'],
  ['../zones/hello.yaml', 'products/hello/zones/hello.yaml'],
])('resolves %s in the repo', (file, path) => {
  expect(resolveValuesPath(createApplication(file))).toBe(path);
});

it.each(['../../../../outside.yaml', '/../outside.yaml'])('rejects %s outside the repo', (file) => {
  expect(() => resolveValuesPath(createApplication(file))).toThrow(`The values file ${file} is outside the repo.`);
});

it('rejects an Application without a values file', () => {
  expect(() => resolveValuesPath(createApplication())).toThrow('The Application names no values file.');
});
