import { expect, it } from 'vitest';
import type { ProductSpec } from '../../../src/rules/products/kinds.ts';
import { withoutZone } from '../../../src/rules/products/without-zone.ts';
import { buildSlo } from '../slos/build-slo.ts';

const spec: ProductSpec = {
  repos: ['acme/shop'],
  delivery: { zones: [{ name: 'rc' }, { name: 'prod' }], releaseZones: ['rc', 'prod'] },
  slos: [buildSlo({ name: 'both', zones: ['rc', 'prod'] }), buildSlo({ name: 'one', zones: ['rc'] }), buildSlo()],
  statusPage: { public: true, zones: ['rc'] },
};

it('takes the zone out of every list, and removes the SLO that measured it only', () =>
  expect(withoutZone(spec, 'rc')).toEqual({
    repos: ['acme/shop'],
    delivery: { zones: [{ name: 'prod' }], releaseZones: ['prod'] },
    slos: [buildSlo({ name: 'both', zones: ['prod'] }), buildSlo()],
    statusPage: { public: true },
  }));

it('returns to the default release zones when the last one is removed', () =>
  expect(
    withoutZone({ repos: [], delivery: { zones: [{ name: 'rc' }, { name: 'prod' }], releaseZones: ['rc'] } }, 'rc'),
  ).toEqual({
    repos: [],
    delivery: { zones: [{ name: 'prod' }] },
  }));
