import { expect, it } from 'vitest';
import { promotionViolation } from '../../../src/rules/environments/promotion-violation.ts';
import { ReleaseKind, type ReleaseStatus } from '../../../src/rules/releases/kinds.ts';
import { buildResource } from '../build-resource.ts';

const at = '2026-01-01T00:00:00.000Z';
const spec = { product: 'shop', repo: 'acme/shop', commit: 'c', version: 'v1.0.0', startedBy: 'jo' };
const zones = ['rc', 'prod'];
const check = (zone: string, status: Partial<ReleaseStatus>) =>
  promotionViolation(
    buildResource(ReleaseKind, { spec, status: { phase: 'Promoting', digest: 'sha256:a', zones: [], ...status } }),
    zone,
    zones,
  );

it('requires a built Release', () => {
  expect(promotionViolation(buildResource(ReleaseKind, { spec }), 'rc', zones)).toBe('v1.0.0 is not built.');
});

it('allows the first zone, and a later one after the verification in all earlier zones', () => {
  expect(check('rc', {})).toBeUndefined();
  expect(check('prod', {})).toBe('v1.0.0 is not verified in the earlier zone "rc".');
  expect(check('prod', { zones: [{ name: 'rc', phase: 'Healthy', healthyAt: at }] })).toContain('not verified');
  expect(check('prod', { zones: [{ name: 'rc', phase: 'Verified', verifiedAt: at }] })).toBeUndefined();
});

it('names the first earlier zone that is missing, and ignores later zones', () => {
  const built = buildResource(ReleaseKind, { spec, status: { phase: 'Promoting', digest: 'sha256:a', zones: [] } });
  const all = ['dev', 'rc', 'prod', 'other'];
  expect(promotionViolation(built, 'prod', all)).toContain('the earlier zone "dev"');
  expect(promotionViolation(built, 'dev', all)).toBeUndefined();
});

it('allows a zone in which the Release has run before', () => {
  expect(check('prod', { zones: [{ name: 'prod', phase: 'Superseded', healthyAt: at }] })).toBeUndefined();
});
