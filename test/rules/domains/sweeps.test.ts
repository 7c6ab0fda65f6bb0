import { expect, it } from 'vitest';
import type { Domain, DomainChecks, DomainStatus } from '../../../src/rules/domains/kinds.ts';
import {
  isDue,
  isNews,
  lastChecked,
  roundsPerTurn,
  turnKey,
  turnOf,
  turnsOf,
} from '../../../src/rules/domains/sweeps.ts';

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
const rounds = Array.from({ length: roundsPerTurn }, (_, round) => 1_000 + round);
const dueIn = (one: Domain): number => rounds.filter((round) => isDue(one, turnsOf(round - 1, round))).length;

it('asks for a waiting domain in every round, and for the others in one of thirty', () => {
  expect(dueIn(domain())).toBe(30);
  expect(dueIn(domain({ state: 'WaitingForDns' }))).toBe(30);
  expect(dueIn(domain({ state: 'Verified' }))).toBe(1);
  expect(dueIn(domain({ state: 'Failed' }))).toBe(1);
  expect(dueIn(domain({ removal: 'it is being removed' }))).toBe(0);
});

it('spreads names evenly over the rounds', () => {
  const counts = new Map<number, number>();
  for (let index = 0; index < 30_000; index += 1) {
    const turn = turnOf(`d${index}.example.com`);
    counts.set(turn, (counts.get(turn) ?? 0) + 1);
  }
  expect(counts.size).toBe(30);
  expect(Math.max(...counts.values())).toBeLessThan(1_300);
});

it('knows when a domain was last checked from whichever is later', () => {
  const times = { waiting: '2026-03-08T13:00:00.000Z', [turnKey(turnOf('x.test'))]: '2026-03-08T12:30:00.000Z' };
  expect(lastChecked(domain({ state: 'WaitingForDns' }), times)).toBe('2026-03-08T13:00:00.000Z');
  expect(lastChecked(domain({ state: 'Verified' }), times)).toBe('2026-03-08T12:30:00.000Z');
  const asked = '2026-03-08T12:45:00.000Z';
  expect(lastChecked(domain({ state: 'Verified', lastCheckedAt: asked }), times)).toBe(asked);
  expect(lastChecked(domain({ state: 'WaitingForDns' }), { waiting: '2026-03-08T11:00:00.000Z' })).toBeUndefined();
});

it('takes who said so and when for no news', () => {
  const check = { seen: ['a', 'b'], server: 'one', at: claimedAt, message: '' };
  const checks: DomainChecks = {
    ownership: { ...check, verdict: 'missing', authoritative: true },
    traffic: { ...check, verdict: 'unresolved' },
    certificates: { ...check, verdict: 'allowed' },
  };
  const later = { ...checks, traffic: { ...checks.traffic, server: 'two', at: 'later', seen: ['b', 'a'] } };
  expect(isNews(checks, later)).toBe(false);
  expect(isNews(undefined, checks)).toBe(true);
  expect(isNews(checks, { ...checks, ownership: { ...checks.ownership, verdict: 'proven' } })).toBe(true);
  expect(isNews(checks, { ...checks, traffic: { ...checks.traffic, seen: ['c'] } })).toBe(true);
});

it('makes up for turns that were missed, all of them at most', () => {
  expect([...turnsOf(59, 60)]).toEqual([0]);
  expect([...turnsOf(57, 60)]).toEqual([28, 29, 0]);
  expect(turnsOf(-1, 1_000_000).size).toBe(30);
});
