import { describe, expect, it } from 'vitest';
import { resolveTokenExpiry } from '../../../src/rules/access/token-lifetime.ts';

const now = new Date('2027-01-01T00:00:00.000Z');
const resolve = (token: { requested?: string } = {}) =>
  resolveTokenExpiry({ defaultDays: 90, maxDays: 365 }, { now, requested: undefined, ...token });

describe('the expiry of a new token', () => {
  it('is the default lifetime, or what was asked for up to the longest', () => {
    expect(resolve()).toBe('2027-04-01T00:00:00.000Z');
    expect(resolve({ requested: '2028-01-01T00:00:00Z' })).toBe('2028-01-01T00:00:00Z');
    expect(() => resolve({ requested: '2028-01-01T00:00:01Z' })).toThrow('within 365 days');
    expect(() => resolve({ requested: '2027-01-01T00:00:00Z' })).toThrow('in the future');
  });
});
