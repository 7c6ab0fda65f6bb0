import { expect, it } from 'vitest';
import { CpuQuantity, MemoryQuantity, VolumeSpec, volumeViolations } from '../../../src/rules/environments/settings.ts';

it.each([
  [CpuQuantity, ['250m', '0.5', '2', '999'], ['0', '0.000', '-1', '1.2345', '2Gi', '']],
  [MemoryQuantity, ['256Mi', '2G', '1Ti'], ['0Mi', '256', '1.5Gi', '2Qi', '']],
])('accepts quantities and rejects malformed ones: %#', (schema, valid, invalid) => {
  for (const text of valid) expect(schema.safeParse(text).success, text).toBe(true);
  for (const text of invalid) expect(schema.safeParse(text).success, text).toBe(false);
});

it.each([
  ['/data', true],
  ['/var/lib/app', true],
  ['data', false],
  ['/', false],
  ['/data/../etc', false],
  ['/etc/app', false],
  ['/proc', false],
  ['/data dir', false],
])('accepts the mount path %s: %s', (path, expected) => {
  expect(VolumeSpec.safeParse({ name: 'data', size: '1Gi', path }).success).toBe(expected);
});

it('reports duplicate names and overlapping paths', () => {
  const volumes = [
    { name: 'data', size: '1Gi', path: '/data' },
    { name: 'data', size: '1Gi', path: '/other' },
    { name: 'inner', size: '1Gi', path: '/data/inner' },
    { name: 'next', size: '1Gi', path: '/database' },
  ];
  expect(volumeViolations(volumes, '/volumes')).toEqual([
    { pointer: '/volumes/1/name', detail: 'is a duplicate' },
    { pointer: '/volumes/2/path', detail: 'overlaps with the volume "data"' },
  ]);
});

it('reports a volume that would become smaller than it is in the zone', () => {
  const applied = ['data', 'cache', 'removed'].map((name) => ({ name, size: '1Gi', mountPath: `/${name}` }));
  const toVolume = (name: string, size: string) => ({ name, size, path: `/${name}` });
  const volumes = [toVolume('data', '1023Mi'), toVolume('cache', '1024Mi'), toVolume('new', '1Mi')];
  expect(volumeViolations(volumes, '/volumes', applied)).toEqual([
    { pointer: '/volumes/0/size', detail: 'cannot become smaller than 1Gi: add another volume, and remove this one' },
  ]);
});
