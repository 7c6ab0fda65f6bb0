import { describe, expect, it } from 'vitest';
import { findReleaseZones } from '../../../src/rules/products/find-release-zones.ts';

const zones = [{ name: 'shop-rc' }, { name: 'shop-prod' }];

describe('findReleaseZones', () => {
  it('returns the last zone in promotion order', () => {
    expect(findReleaseZones({ delivery: { zones } })).toEqual(['shop-prod']);
  });

  it('returns the zones that the Product names', () => {
    expect(findReleaseZones({ delivery: { zones, releaseZones: ['shop-rc', 'shop-prod'] } })).toEqual([
      'shop-rc',
      'shop-prod',
    ]);
  });

  it('returns nothing for a Product without zones', () => {
    expect(findReleaseZones({ delivery: { zones: [] } })).toEqual([]);
  });
});
