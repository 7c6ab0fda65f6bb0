import { expect, it } from 'vitest';
import type { Domain, DomainChecks, DomainStatus } from '../../../src/rules/domains/kinds.ts';
import {
  isDue,
  hasChanged,
  findLastCheckedAt,
  bucketCount,
  bucketKey,
  bucketFor,
  dueBuckets,
} from '../../../src/rules/domains/sweep-buckets.ts';

const claimedAt = '2026-03-08T12:00:00.000Z';
const domain = (status?: Partial<DomainStatus>): Domain => ({
  apiVersion: 'service.delivery/v1',
  kind: 'Domain',
  metadata: {
    name: 'x.test',
    namespace: 'org-acme',
    uid: 'u',
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: claimedAt,
  },
  spec: { name: 'x.test', kind: 'external', shared: false, token: 't' },
  ...(status && { status: { state: 'WaitingForDns', claimedAt, ...status } }),
});
const rounds = Array.from({ length: bucketCount }, (_, round) => 1_000 + round);
const dueIn = (one: Domain): number => rounds.filter((round) => isDue(one, dueBuckets(round - 1, round))).length;

it('checks a waiting domain in every round, and any other in one of thirty', () => {
  expect(dueIn(domain())).toBe(30);
  expect(dueIn(domain({ state: 'WaitingForDns' }))).toBe(30);
  expect(dueIn(domain({ state: 'Verified' }))).toBe(1);
  expect(dueIn(domain({ state: 'Failed' }))).toBe(1);
  expect(dueIn(domain({ removalMessage: 'it is being removed' }))).toBe(0);
});

it('spreads names evenly over the rounds', () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 30_000; index += 1) {
    const bucket = bucketFor(`d${index}.example.com`);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  expect(counts.size).toBe(30);
  expect(Math.max(...counts.values())).toBeLessThan(1_300);
});

it('returns the later of the domain’s own check and the check of its bucket', () => {
  const times = { pending: '2026-03-08T13:00:00.000Z', [bucketKey(bucketFor('x.test'))]: '2026-03-08T12:30:00.000Z' };
  expect(findLastCheckedAt(domain({ state: 'WaitingForDns' }), times)).toBe('2026-03-08T13:00:00.000Z');
  expect(findLastCheckedAt(domain({ state: 'Verified' }), times)).toBe('2026-03-08T12:30:00.000Z');
  expect(findLastCheckedAt(domain({ state: 'WaitingForDns' }), { pending: claimedAt })).toBe(claimedAt);
  expect(findLastCheckedAt(domain({ state: 'WaitingForDns', lastCheckedAt: claimedAt }), {})).toBe(claimedAt);
  const asked = '2026-03-08T12:45:00.000Z';
  expect(findLastCheckedAt(domain({ state: 'Verified', lastCheckedAt: asked }), times)).toBe(asked);
  expect(
    findLastCheckedAt(domain({ state: 'WaitingForDns' }), { pending: '2026-03-08T11:00:00.000Z' }),
  ).toBeUndefined();
});

it('ignores the server and the time of a check', () => {
  const check = { observed: ['a', 'b'], server: 'one', at: claimedAt, message: '' };
  const checks: DomainChecks = {
    ownership: { ...check, verdict: 'missing', authoritative: true },
    traffic: { ...check, verdict: 'unresolved' },
    certificates: { ...check, verdict: 'allowed' },
  };
  const later = { ...checks, traffic: { ...checks.traffic, server: 'two', at: 'later', observed: ['b', 'a'] } };
  expect(hasChanged(checks, later)).toBe(false);
  expect(hasChanged(undefined, checks)).toBe(true);
  expect(hasChanged(checks, { ...checks, ownership: { ...checks.ownership, verdict: 'verified' } })).toBe(true);
  expect(hasChanged(checks, { ...checks, traffic: { ...checks.traffic, observed: ['c'] } })).toBe(true);
});

it('repeats missed buckets, each at most once', () => {
  expect([...dueBuckets(59, 60)]).toEqual([0]);
  expect([...dueBuckets(57, 60)]).toEqual([28, 29, 0]);
  expect(dueBuckets(-1, 1_000_000).size).toBe(30);
});
