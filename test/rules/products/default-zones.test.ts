import { expect, it } from 'vitest';
import { defaultZones } from '../../../src/rules/products/default-zones.ts';
import { ProductSpec } from '../../../src/rules/products/kinds.ts';

it('has an automatic zone before a production zone that requires approval', () => {
  const delivery = defaultZones('shop');
  expect(delivery.zones).toEqual([
    { name: 'shop-rc', promotionPolicy: 'automatic' },
    { name: 'shop-prod', promotionPolicy: 'after-approval' },
  ]);
  expect(ProductSpec.parse({ repos: [], delivery })).toEqual({ repos: [], delivery });
});
