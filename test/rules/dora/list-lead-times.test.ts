import { expect, it } from 'vitest';
import { listDeployments } from '../../../src/rules/dora/list-deployments.ts';
import { listLeadTimes } from '../../../src/rules/dora/list-lead-times.ts';
import type { ChangeRecord, PromotionRecord, ReleaseRecord } from '../../../src/rules/dora/records.ts';

const second = 1_000;
const toRelease = (version: string, parts: Partial<ReleaseRecord> = {}): ReleaseRecord => ({
  name: version,
  product: 'shop',
  repo: 'acme/shop',
  version,
  commit: `k-${version}`,
  ...parts,
});
const toPromotion = (version: string, healthyAt?: number): PromotionRecord => ({
  name: `p-${version}-${healthyAt}`,
  product: 'shop',
  zone: 'prod',
  release: version,
  version,
  trigger: 'release',
  startedBy: 'ada@example.com',
  phase: healthyAt === undefined ? 'Superseded' : 'Verified',
  ...(healthyAt !== undefined && { healthyAt }),
});
const toChange = (name: string, mergedAt: number): ChangeRecord => ({
  name,
  product: 'shop',
  repo: 'acme/shop',
  mergedAt,
});
const list = (releases: ReleaseRecord[], changes: ChangeRecord[], promotions: PromotionRecord[]) =>
  listLeadTimes({ releases, changes }, listDeployments({ promotions, incidents: [] }, new Set(['prod']))).map(
    ({ change, promotion, seconds }) => [change, promotion.version, seconds],
  );

it('gives the Changes of superseded Releases the time of the one that carried them, by version and not by text', () => {
  const releases = ['v1.9.0', 'v1.10.0', 'v1.11.0'].map((version) => toRelease(version, { run: `run-${version}` }));
  const changes = releases.map(({ run = '' }, index) => toChange(run, index * second));
  const promotions = [toPromotion('v1.9.0'), toPromotion('v1.10.0'), toPromotion('v1.11.0', 10 * second)];
  expect(list(releases, changes, promotions)).toEqual([
    ['run-v1.11.0', 'v1.11.0', 8],
    ['run-v1.10.0', 'v1.11.0', 9],
    ['run-v1.9.0', 'v1.11.0', 10],
  ]);
});

it('counts a Change once, whatever is released again', () => {
  const promotions = [toPromotion('v1.0.0', 9 * second), toPromotion('v1.0.0', 5 * second)];
  expect(list([toRelease('v1.0.0', { run: 'c' })], [toChange('c', second)], promotions)).toEqual([['c', 'v1.0.0', 4]]);
});

it('does not let an older version carry a Change', () => {
  const releases = [toRelease('v1.0.0', { startedAt: 0 }), toRelease('v1.1.0', { run: 'c' })];
  expect(list(releases, [toChange('c', second)], [toPromotion('v1.0.0', 5 * second)])).toEqual([
    [undefined, 'v1.0.0', 5],
  ]);
});

it('does not let a newer version carry what was merged after it ran', () => {
  const releases = [
    toRelease('v2.0.0', { startedAt: 0 }),
    toRelease('v1.2.1', { run: 'fix', startedAt: 60 * second }),
    toRelease('v1.2.0', { run: 'old', startedAt: 0 }),
  ];
  const changes = [toChange('old', 0), toChange('fix', 59 * second)];
  const promotions = [toPromotion('v2.0.0', 5 * second), toPromotion('v1.2.1', 99 * second)];
  expect(list(releases, changes, promotions)).toEqual([
    [undefined, 'v2.0.0', 5],
    ['fix', 'v1.2.1', 40],
    ['old', 'v2.0.0', 5],
  ]);
  expect(list(releases, changes, promotions.slice(0, 1)), 'it never ran').toEqual([
    [undefined, 'v2.0.0', 5],
    ['old', 'v2.0.0', 5],
  ]);
});

it('leaves out a Change that no Release contains, and a Release by hand without a start', () => {
  const promotions = [toPromotion('v1.0.0', 5 * second)];
  expect(list([toRelease('v1.0.0')], [toChange('c', 7 * second)], promotions)).toEqual([]);
});
