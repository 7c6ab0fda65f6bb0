import { describe, expect, it } from 'vitest';
import {
  type Claims,
  addClaim,
  expireClaim,
  findVerifiedRival,
  releaseClaim,
  verifyClaim,
  gracePeriodMs,
} from '../../../src/rules/domains/domain-claims.ts';

const at = new Date('2026-03-01T12:00:00Z');
const ago = (ms: number): string => new Date(at.getTime() - ms).toISOString();
const held = (host: string, org: string, more: { verified?: boolean; claimedAt?: string } = {}) => ({
  host,
  org,
  verified: false,
  claimedAt: ago(0),
  ...more,
});
const old = { claimedAt: ago(gracePeriodMs) };
const verified = { ...old, verified: true };

describe('a claim', () => {
  it.each<[string, Claims, boolean]>([
    ['without other claims', [], true],
    ['next to a sibling domain', [held('a.x.com', 'other')], true],
    ['under an own claim', [held('x.com', 'acme')], true],
    ['to a domain that another org claims', [held('shop.x.com', 'other')], false],
    ['under a domain that another org claims', [held('x.com', 'other')], false],
    ['above a domain that another org claims', [held('a.shop.x.com', 'other')], false],
    ['to a domain with an expired claim of another org', [held('shop.x.com', 'other', old)], true],
    ['under a domain with an expired claim of another org', [held('x.com', 'other', old)], true],
    ['to a domain that another org has verified', [held('shop.x.com', 'other', verified)], false],
    ['under a domain that another org has verified', [held('x.com', 'other', verified)], false],
    ['above a domain that another org has verified', [held('a.shop.x.com', 'other', verified)], false],
  ])('%s is decided by the claims of others', (_, before, isAllowed) => {
    const outcome = addClaim(before, { host: 'shop.x.com', org: 'acme', at });
    expect(outcome).toEqual(isAllowed ? { claims: [...before, held('shop.x.com', 'acme')] } : { conflict: before[0] });
  });

  it('that is made twice keeps the time of the first claim', () => {
    const first = held('x.com', 'acme', old);
    expect(addClaim([first], { host: 'x.com', org: 'acme', at })).toEqual({ claims: [first] });
  });
});

describe('a verification', () => {
  const verification = { host: 'x.com', org: 'acme', at };
  it('displaces the unverified claims of others to the name, its parents and its subdomains', () => {
    const rivals = [held('x.com', 'other', old), held('a.x.com', 'third', old)];
    const outcome = verifyClaim([...rivals, held('x.com', 'acme'), held('b.x.com', 'acme')], verification);
    expect(outcome).toEqual({
      claims: [...rivals, held('b.x.com', 'acme'), held('x.com', 'acme', { verified: true })],
      displaced: rivals,
    });
  });

  it('does not remove a verified claim of another org', () => {
    const theirs = held('a.x.com', 'other', verified);
    expect(verifyClaim([theirs, held('x.com', 'acme')], verification)).toEqual({ conflict: theirs });
  });

  it('that is made twice has no further effect', () => {
    const own = held('x.com', 'acme', { verified: true });
    expect(verifyClaim([own], verification)).toEqual({ claims: [own], displaced: [] });
  });
});

it('names the verified claim of another org to the name, its parents and its subdomains', () => {
  const claims = [held('x.com', 'acme', verified), held('a.shop.x.com', 'other'), held('x.com', 'other', verified)];
  expect(findVerifiedRival(claims, { host: 'shop.x.com', org: 'acme' })).toBe(claims[2]);
  expect(findVerifiedRival(claims.slice(0, 2), { host: 'shop.x.com', org: 'acme' })).toBeUndefined();
});

it('an expired claim blocks no other org, and a released claim does not exist', () => {
  const expired = expireClaim([held('x.com', 'acme', verified)], { host: 'x.com', org: 'acme' });
  expect(addClaim(expired, { host: 'x.com', org: 'other', at })).toHaveProperty('claims');
  expect(releaseClaim(expired, { host: 'x.com', org: 'acme' })).toEqual([]);
});
