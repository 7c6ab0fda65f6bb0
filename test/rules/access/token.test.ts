import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createToken, findTokens, isToken } from '../../../src/rules/access/token.ts';

const bytes = (value: number): Uint8Array => new Uint8Array(32).fill(value);

describe('a token', () => {
  it.each([0, 1, 127, 255])('of bytes %i has a fixed length and is recognized', (value) => {
    const token = createToken(bytes(value));
    expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(isToken(token)).toBe(true);
  });

  it('differs for different bytes', () => {
    expect(createToken(bytes(1))).not.toBe(createToken(bytes(2)));
  });

  it('does not match a mistyped token', () => {
    const token = createToken(Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 101) % 256));
    const lastChanged = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const firstTwo = token.slice(4, 6);
    expect(firstTwo[0]).not.toBe(firstTwo[1]);
    const swapped = `svc_${firstTwo[1]}${firstTwo[0]}${token.slice(6)}`;
    expect([lastChanged, swapped, token.slice(1), `${token}0`, '', 'svc_'].filter(isToken)).toEqual([]);
  });

  it('ends with the CRC-32 of the rest, which secret scanners check', () => {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
    const tokens = [1, 77, 200].map((value) => createToken(bytes(value)));
    const toNumber = (text: string): number =>
      Array.from(text).reduce((sum, sign) => sum * 62 + digits.indexOf(sign), 0);
    expect(tokens.map((token) => toNumber(token.slice(-6)))).toEqual(tokens.map((token) => crc32(token.slice(4, -6))));
  });

  it('requires exactly 32 bytes', () => {
    expect(() => createToken(new Uint8Array(31))).toThrow(RangeError);
  });
});

it('finds tokens in a text', () => {
  const token = createToken(new Uint8Array(32));
  expect(findTokens(`a ${token}, ${token}`)).toEqual([
    [2, 2 + token.length],
    [4 + token.length, 4 + 2 * token.length],
  ]);
  expect(findTokens(token.slice(1))).toEqual([]);
});
