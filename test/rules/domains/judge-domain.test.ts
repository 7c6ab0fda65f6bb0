import { expect, it } from 'vitest';
import { termMs } from '../../../src/rules/domains/claims.ts';
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
    'waits from the first',
    { ownership: undefined, authoritative: false },
    { state: 'WaitingForDns', termAt: ago(1_000 - termMs) },
  ],
  ['waits without its record', {}, { state: 'WaitingForDns' }],
  ['waits with a wrong value', { ownership: 'wrong-value' }, { state: 'WaitingForDns' }],
  ['is verified by its record', { ownership: 'proven' }, { state: 'Verified' }],
  ['fails after 7 days without it', { claimedAt: ago(termMs) }, { state: 'Failed' }],
  [
    'goes on waiting after 7 days while nobody can tell',
    { claimedAt: ago(termMs), ownership: 'unknown' },
    { state: 'WaitingForDns' },
  ],
  [
    'goes on waiting after 7 days while only a cache denies it',
    { claimedAt: ago(termMs), authoritative: false },
    { state: 'WaitingForDns' },
  ],
  [
    'stays verified when its record goes',
    { state: 'Verified' },
    { state: 'Verified', absentSince: ago(0), termAt: ago(-termMs) },
  ],
  [
    'counts from the first time it was gone',
    { state: 'Verified', absentSince: ago(5_000) },
    { state: 'Verified', absentSince: ago(5_000) },
  ],
  ['fails when its record was gone for 7 days', { state: 'Verified', absentSince: ago(termMs) }, { state: 'Failed' }],
  ['stays verified while nobody can tell', { state: 'Verified', ownership: 'unknown' }, { state: 'Verified' }],
  [
    'does not fail by time alone while nobody can tell',
    { state: 'Verified', ownership: 'unknown', absentSince: ago(2 * termMs) },
    { state: 'Verified', absentSince: ago(2 * termMs) },
  ],
  ['stays verified while only a cache denies it', { state: 'Verified', authoritative: false }, { state: 'Verified' }],
  ['stays failed', { state: 'Failed' }, { state: 'Failed' }],
  ['stays failed while nobody can tell', { state: 'Failed', ownership: 'unknown' }, { state: 'Failed' }],
  ['comes back with its record', { state: 'Failed', ownership: 'proven' }, { state: 'Verified' }],
])('%s', (_, given, expected) => expect(judgeDomain(facts(given), at)).toMatchObject(expected));

it('says until when to put the record back, and nothing where nothing is to be done', () => {
  expect(judgeDomain(facts({ state: 'Verified' }), at).message).toContain('before 2026-03-15');
  expect(judgeDomain(facts({ ownership: 'proven', absentSince: ago(5) }), at)).toEqual({ state: 'Verified' });
});
