import { expect, it } from 'vitest';
import { gracePeriodMs } from '../../../src/rules/domains/domain-claims.ts';
import { type DomainFacts, type DomainVerdict, judgeDomain } from '../../../src/rules/domains/judge-domain.ts';

const at = new Date('2026-03-08T12:00:00Z');
const ago = (ms: number): string => new Date(at.getTime() - ms).toISOString();
const facts = (given: Partial<DomainFacts>): DomainFacts => ({
  kind: 'external',
  state: 'WaitingForDns',
  ownership: 'missing',
  authoritative: true,
  claimedAt: ago(1_000),
  absentSince: undefined,
  ...given,
});

it.each<[string, Partial<DomainFacts>, Partial<DomainVerdict>]>([
  [
    'waits before the first check',
    { ownership: undefined, authoritative: false },
    { state: 'WaitingForDns', deadlineAt: ago(1_000 - gracePeriodMs) },
  ],
  ['waits without its record', {}, { state: 'WaitingForDns' }],
  ['waits with a wrong value', { ownership: 'wrong-value' }, { state: 'WaitingForDns' }],
  ['is verified with its record', { ownership: 'verified' }, { state: 'Verified' }],
  ['fails after 7 days without its record', { claimedAt: ago(gracePeriodMs) }, { state: 'Failed' }],
  [
    'still waits after 7 days while no server answers',
    { claimedAt: ago(gracePeriodMs), ownership: 'unknown' },
    { state: 'WaitingForDns' },
  ],
  [
    'still waits after 7 days when only a cache reports the record as missing',
    { claimedAt: ago(gracePeriodMs), authoritative: false },
    { state: 'WaitingForDns' },
  ],
  [
    'stays verified when its record disappears',
    { state: 'Verified' },
    { state: 'Verified', absentSince: ago(0), deadlineAt: ago(-gracePeriodMs) },
  ],
  [
    'counts the grace period from the first absence',
    { state: 'Verified', absentSince: ago(5_000) },
    { state: 'Verified', absentSince: ago(5_000) },
  ],
  [
    'fails when its record is missing for 7 days',
    { state: 'Verified', absentSince: ago(gracePeriodMs) },
    { state: 'Failed' },
  ],
  ['stays verified while no server answers', { state: 'Verified', ownership: 'unknown' }, { state: 'Verified' }],
  [
    'does not fail by time alone while no server answers',
    { state: 'Verified', ownership: 'unknown', absentSince: ago(2 * gracePeriodMs) },
    { state: 'Verified', absentSince: ago(2 * gracePeriodMs) },
  ],
  [
    'stays verified when only a cache reports the record as missing',
    { state: 'Verified', authoritative: false },
    { state: 'Verified' },
  ],
  ['stays failed', { state: 'Failed' }, { state: 'Failed' }],
  ['stays failed while no server answers', { state: 'Failed', ownership: 'unknown' }, { state: 'Failed' }],
  ['is verified again with its record', { state: 'Failed', ownership: 'verified' }, { state: 'Verified' }],
])('%s', (_, given, expected) => expect(judgeDomain(facts(given), at)).toMatchObject(expected));

it('names the deadline to restore the record, and has no message when no action is required', () => {
  expect(judgeDomain(facts({ state: 'Verified' }), at).message).toContain('before 2026-03-15');
  expect(judgeDomain(facts({ ownership: 'verified', absentSince: ago(5) }), at)).toEqual({ state: 'Verified' });
});
