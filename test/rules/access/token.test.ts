import { describe, expect, it } from 'vitest';
import { isToken, makeToken } from '../../../src/rules/access/token.ts';

const bytes = (value: number): Uint8Array => new Uint8Array(32).fill(value);

describe('a token', () => {
  it.each([0, 1, 127, 255])('of bytes %i has one length and is known again', (value) => {
    const token = makeToken(bytes(value));
    expect(token).toMatch(/^svc_[0-9A-Za-z]{49}$/);
    expect(isToken(token)).toBe(true);
  });

  it('is another for other bytes', () => {
    expect(makeToken(bytes(1))).not.toBe(makeToken(bytes(2)));
  });

  it('is told from a mistyped one', () => {
    const token = makeToken(Uint8Array.from({ length: 32 }, (_, at) => (at * 37 + 101) % 256));
    const lastChanged = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    const firstTwo = token.slice(4, 6);
    expect(firstTwo[0]).not.toBe(firstTwo[1]);
    const swapped = `svc_${firstTwo[1]}${firstTwo[0]}${token.slice(6)}`;
    expect([lastChanged, swapped, token.slice(1), `${token}0`, '', 'svc_'].filter(isToken)).toEqual([]);
  });

  it('takes exactly 32 bytes', () => {
    expect(() => makeToken(new Uint8Array(31))).toThrow(RangeError);
  });
});
