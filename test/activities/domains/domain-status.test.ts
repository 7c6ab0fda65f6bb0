import { describe, expect, it } from 'vitest';
import {
  isUnjudged,
  judgeCurrentState,
  toDomainStatus,
  toSnapshot,
} from '../../../activities/domains/domain-status.ts';
import { type Domain, type DomainStatus, sweepShardLabel } from '../../../src/rules/domains/kinds.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const at = new Date('2026-01-03T00:00:00Z');
const afterGrace = new Date('2026-01-09T00:00:00Z');

const buildDomain = (status?: Partial<DomainStatus>, kind: Domain['spec']['kind'] = 'external'): Domain =>
  ({
    metadata: { name: 'shop.example', creationTimestamp: createdAt, labels: { [sweepShardLabel]: '3' } },
    spec: { name: 'shop.example', kind, shared: false, token: 't' },
    ...(status && { status: { state: 'WaitingForDns', claimedAt: createdAt, ...status } }),
  }) as unknown as Domain;
const check = (verdict: 'verified' | 'missing' | 'unknown', authoritative: boolean): Partial<DomainStatus> =>
  ({ checks: { ownership: { verdict, authoritative } } }) as Partial<DomainStatus>;

describe('judgeCurrentState', () => {
  it('waits for a new Domain from its creation on', () => {
    expect(judgeCurrentState(buildDomain(), at)).toMatchObject({
      state: 'WaitingForDns',
      deadlineAt: '2026-01-08T00:00:00.000Z',
    });
  });

  it.each([
    ['a verified record', check('verified', false), 'Verified'],
    ['a missing record, of which its own server knows', check('missing', true), 'Failed'],
    ['a missing record, of which only a resolver knows', check('missing', false), 'WaitingForDns'],
    ['no answer', check('unknown', true), 'WaitingForDns'],
    ['a later claim', { ...check('missing', true), claimedAt: at.toISOString() }, 'WaitingForDns'],
    ['a Domain that was verified before', { ...check('missing', true), state: 'Verified' as const }, 'Verified'],
    [
      'a record that is absent for long',
      { ...check('missing', true), state: 'Verified' as const, absentSince: createdAt },
      'Failed',
    ],
  ])('judges %s', (_, status, state) => {
    expect(judgeCurrentState(buildDomain(status), afterGrace)).toMatchObject({ state });
  });

  it('words the message for the kind of the domain', () => {
    const [external, managed, platform] = (['external', 'managed', 'platform'] as const).map(
      (kind) => judgeCurrentState(buildDomain({}, kind), at).message,
    );
    expect(external).toMatch(/^Add the records/);
    expect(managed).toMatch(/^The service is creating/);
    expect(platform).toBe(external);
  });
});

describe('isUnjudged', () => {
  const isAbsent = { ...check('missing', true), state: 'Verified' as const };

  it.each([
    ['a found record of a waiting domain', check('verified', true), true],
    ['a found record of a failed domain', { ...check('verified', true), state: 'Failed' as const }, true],
    ['a found record of a verified domain', { ...check('verified', true), state: 'Verified' as const }, false],
    ['a lost record', isAbsent, true],
    ['a lost record whose grace period runs', { ...isAbsent, absentSince: at.toISOString() }, false],
    ['a lost record whose grace period is over', { ...isAbsent, absentSince: createdAt }, true],
    [
      'a record that was found again',
      { ...check('verified', true), state: 'Verified' as const, absentSince: at.toISOString() },
      true,
    ],
    ['no answer about a lost record', { ...isAbsent, ...check('unknown', false), absentSince: createdAt }, false],
    ['a missing record of a failed domain', { ...check('missing', true), state: 'Failed' as const }, false],
  ])('judges %s', (_, status, expected) => {
    expect(isUnjudged(buildDomain(status), afterGrace)).toBe(expected);
  });

  it('is true for a Domain that has no status', () => {
    expect(isUnjudged(buildDomain(), at)).toBe(true);
  });
});

describe('toDomainStatus', () => {
  it('replaces the verdict and keeps the rest', () => {
    const before = { message: 'old', absentSince: createdAt, lastCheckedAt: createdAt };
    expect(toDomainStatus(buildDomain(before), { state: 'Failed', message: 'new' }, at)).toEqual({
      claimedAt: createdAt,
      lastCheckedAt: createdAt,
      state: 'Failed',
      message: 'new',
    });
    expect(toDomainStatus(buildDomain(), { state: 'WaitingForDns' }, at)).toEqual({
      claimedAt: createdAt,
      state: 'WaitingForDns',
    });
  });

  it('keeps the time at which the domain was verified until it is verified again', () => {
    const verified = toDomainStatus(buildDomain({}), { state: 'Verified' }, at);
    expect(verified).toEqual({ claimedAt: createdAt, state: 'Verified', verifiedAt: at.toISOString() });
    const absent = { state: 'Verified', absentSince: createdAt } as const;
    expect(toDomainStatus(buildDomain(verified), absent, afterGrace)).toEqual({ ...verified, absentSince: createdAt });
    const failed = toDomainStatus(buildDomain(verified), { state: 'Failed' }, afterGrace);
    expect(failed.verifiedAt).toBe(at.toISOString());
    const again = toDomainStatus(buildDomain(failed), { state: 'Verified' }, afterGrace);
    expect(again.verifiedAt).toBe(afterGrace.toISOString());
  });
});

it('gives the workflow no more than it needs', () => {
  const deadlineAt = '2026-01-08T00:00:00.000Z';
  const verdict = { state: 'WaitingForDns', message: 'Add the records.', deadlineAt } as const;
  expect(toSnapshot(buildDomain(), verdict)).toEqual({
    state: 'WaitingForDns',
    kind: 'external',
    shard: 3,
    gracePeriodEndsAt: deadlineAt,
  });
  const { metadata, ...rest } = buildDomain({}, 'managed');
  const unlabelled = { ...rest, metadata: { ...metadata, labels: {} } };
  expect(toSnapshot(unlabelled, { state: 'Verified' })).toEqual({ state: 'Verified', kind: 'managed', shard: 0 });
});
