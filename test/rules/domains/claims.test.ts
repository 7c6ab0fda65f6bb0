import { describe, expect, it } from 'vitest';
import { type Claims, claim, lapse, leave, prove, termMs } from '../../../src/rules/domains/claims.ts';

const at = new Date('2026-03-01T12:00:00Z');
const ago = (ms: number): string => new Date(at.getTime() - ms).toISOString();
const held = (host: string, org: string, more: { verified?: boolean; claimedAt?: string } = {}) => ({
  host,
  org,
  verified: false,
  claimedAt: ago(0),
  ...more,
});
const old = { claimedAt: ago(termMs) };
const verified = { ...old, verified: true };

describe('a claim', () => {
  it.each<[string, Claims, boolean]>([
    ['where there is none', [], true],
    ['beside its sister', [held('a.x.com', 'other')], true],
    ['under its own', [held('x.com', 'acme')], true],
    ['to what another claims', [held('shop.x.com', 'other')], false],
    ['under what another claims', [held('x.com', 'other')], false],
    ['above what another claims', [held('a.shop.x.com', 'other')], false],
    ['to what another claimed long ago', [held('shop.x.com', 'other', old)], true],
    ['under what another claimed long ago', [held('x.com', 'other', old)], true],
    ['to what another has proven long ago', [held('shop.x.com', 'other', verified)], false],
    ['under what another has proven long ago', [held('x.com', 'other', verified)], false],
    ['above what another has proven long ago', [held('a.shop.x.com', 'other', verified)], false],
  ])('%s', (_, before, isGood) => {
    const outcome = claim(before, { host: 'shop.x.com', org: 'acme', at });
    expect(outcome).toEqual(isGood ? { claims: [...before, held('shop.x.com', 'acme')] } : { refused: before[0] });
  });

  it('made twice stays one, with the time of the first', () => {
    const first = held('x.com', 'acme', old);
    expect(claim([first], { host: 'x.com', org: 'acme', at })).toEqual({ claims: [first] });
  });
});

describe('a proof', () => {
  const proof = { host: 'x.com', org: 'acme', at };
  it('ends the unproven claims of others to the name, above it and below it', () => {
    const rivals = [held('x.com', 'other', old), held('a.x.com', 'third', old)];
    const outcome = prove([...rivals, held('x.com', 'acme'), held('b.x.com', 'acme')], proof);
    expect(outcome).toEqual({
      claims: [held('b.x.com', 'acme'), held('x.com', 'acme', { verified: true })],
      outdone: rivals,
    });
  });

  it('does not end what another has proven', () => {
    const theirs = held('a.x.com', 'other', verified);
    expect(prove([theirs, held('x.com', 'acme')], proof)).toEqual({ refused: theirs });
  });

  it('made twice stays one', () => {
    const own = held('x.com', 'acme', { verified: true });
    expect(prove([own], proof)).toEqual({ claims: [own], outdone: [] });
  });
});

it('a proof that lapsed holds nobody off, and a claim that is left is gone', () => {
  const lapsed = lapse([held('x.com', 'acme', verified)], { host: 'x.com', org: 'acme' });
  expect(claim(lapsed, { host: 'x.com', org: 'other', at })).toHaveProperty('claims');
  expect(leave(lapsed, { host: 'x.com', org: 'acme' })).toEqual([]);
});
