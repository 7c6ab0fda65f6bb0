import { expect, it } from 'vitest';
import { chartPath, toZoneSettings, zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import type { ZoneSpec } from '../../../src/rules/products/kinds.ts';

const settings = (spec: Partial<ZoneSpec> = {}) =>
  toZoneSettings(
    { name: 'rc', promotionPolicy: 'automatic', ...spec },
    { address: 'https://rc.apps.test', verifiedDomains: new Set(['example.com']) },
  );

it('has one public replica without resources by default', () => {
  expect(settings()).toStrictEqual({
    replicas: 1,
    ingress: { hosts: ['rc.apps.test'], access: 'public' },
    resources: {},
    persistence: [],
    strategy: 'RollingUpdate',
  });
});

it('adds the additional addresses under verified domains, and has no host without access from outside', () => {
  const addresses = [{ domain: 'example.com', name: 'shop' }];
  expect(settings({ addresses }).ingress.hosts).toEqual(['rc.apps.test', 'shop.example.com']);
  const lost = [{ domain: 'lost.example', name: 'shop' }, ...addresses];
  expect(settings({ addresses: lost }).ingress.hosts).toEqual(['rc.apps.test', 'shop.example.com']);
  expect(settings({ addresses, access: 'none' }).ingress).toEqual({ hosts: [], access: 'none' });
});

it.each([
  [{ cpu: '1' }, { requests: { cpu: '1' } }],
  [{ memory: '1Gi' }, { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } }],
  [
    { cpu: '1', memory: '1Gi' },
    { requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } },
  ],
])('converts the quantities %j', (spec, resources) => {
  expect(settings(spec).resources).toStrictEqual(resources);
});

it('recreates pods that have volumes', () => {
  const { persistence, strategy } = settings({ volumes: [{ name: 'data', size: '1Gi', path: '/data' }] });
  expect(persistence).toEqual([{ name: 'data', size: '1Gi', mountPath: '/data' }]);
  expect(strategy).toBe('Recreate');
});

it('has paths in the folder of the Product', () => {
  expect(zoneValuesPath('shop', 'rc')).toBe('products/shop/zones/rc/values.yaml');
  expect(chartPath('shop')).toBe('products/shop/chart');
});
