import { expect, it } from 'vitest';
import { findOfferedRelease } from '../../../src/rules/environments/find-offered-release.ts';
import type { Product } from '../../../src/rules/products/kinds.ts';
import type { Release } from '../../../src/rules/releases/kinds.ts';

const verified = { phase: 'Verified' as const, verifiedAt: '2026-01-02T03:04:05Z' };
const aRelease = (version: string, status: Partial<Release['status']>): Release =>
  ({
    metadata: { name: `shop-${version}` },
    spec: { version },
    status: { zones: [], ...status },
  }) as unknown as Release;
const releases = [
  aRelease('v1.9.0', { digest: 'sha256:1', zones: [{ name: 'shop-rc', ...verified }] }),
  aRelease('v1.10.0', { digest: 'sha256:2', zones: [{ name: 'shop-rc', ...verified }] }),
  aRelease('v2.0.0', { digest: 'sha256:3' }),
  aRelease('v3.0.0', {}),
];
const spec = { repos: [], delivery: { zones: [{ name: 'shop-rc' }, { name: 'shop-prod' }] } };
const offer = (zone: string, status: Product['status'] = {}) =>
  findOfferedRelease({ spec, status }, zone, releases)?.spec.version;

it('offers the newest Release that is built, and verified in the earlier zones', () => {
  expect(offer('shop-rc')).toBe('v2.0.0');
  expect(offer('shop-prod')).toBe('v1.10.0');
});

it.each([
  ['runs a Release', { release: 'shop-v1.9.0' }],
  ['receives one', { currentPromotion: { release: 'shop-v2.0.0', version: 'v2.0.0', phase: 'Promoting' } }],
  ['is being removed', { removal: { by: 'ada', since: '2026-01-02T03:04:05Z', message: '', remaining: [] } }],
])('offers nothing to a zone that %s', (_, status) => {
  expect(offer('shop-prod', { zones: [{ name: 'shop-prod', ...status }] })).toBeUndefined();
});

it('offers nothing to a zone that is unknown', () => {
  expect(offer('shop-test')).toBeUndefined();
});
