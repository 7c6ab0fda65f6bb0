import { expect, it } from 'vitest';
import type { Product } from '../../../src/rules/products/kinds.ts';
import { readZoneRequests, withZoneRequest } from '../../../src/rules/products/zone-requests.ts';

const buildProduct = (zones: string[], annotations?: Record<string, string>): Product =>
  ({
    metadata: { name: 'shop', ...(annotations && { annotations }) },
    spec: { repos: [], delivery: { zones: zones.map((name) => ({ name })) } },
  }) as unknown as Product;

it('remembers the request of each zone that was added, and keeps other annotations', () => {
  expect(readZoneRequests(buildProduct(['shop-rc']))).toEqual(new Map());
  const one = withZoneRequest(buildProduct(['shop-rc'], { other: 'kept' }), { request: 'a', zone: 'shop-demo' });
  const two = withZoneRequest(buildProduct(['shop-rc', 'shop-demo'], one), { request: 'b', zone: 'shop-more' });
  expect(two).toMatchObject({ other: 'kept' });
  const read = (...zones: string[]) => readZoneRequests(buildProduct(zones, two));
  expect(read('shop-rc', 'shop-demo', 'shop-more')).toEqual(
    new Map([
      ['shop-demo', 'a'],
      ['shop-more', 'b'],
    ]),
  );
  expect(read('shop-rc', 'shop-more')).toEqual(new Map([['shop-more', 'b']]));
});

it('forgets zones that were removed, so that the annotation stays small', () => {
  const one = withZoneRequest(buildProduct(['shop-rc']), { request: 'a', zone: 'shop-demo' });
  const two = withZoneRequest(buildProduct(['shop-rc'], one), { request: 'b', zone: 'shop-more' });
  expect(JSON.stringify(two)).not.toContain('shop-demo');
});
