import { expect, it } from 'vitest';
import { createEntryDigest } from '../../../src/integrations/backups/archive-format.ts';

it('counts entries, and distinguishes their names, sizes and order', () => {
  const toDigest = (...entries: [string, string][]) => {
    const digest = createEntryDigest();
    for (const [name, text] of entries) digest.add({ name, bytes: Buffer.from(text) });
    return digest.finish();
  };
  const [one, other] = [['a', 'text'] as [string, string], ['b', 'text'] as [string, string]];
  expect(toDigest().count).toBe(0);
  expect(toDigest(one, other)).toEqual({ count: 2, sha256: toDigest(one, other).sha256 });
  const others = [toDigest(other, one), toDigest(one), toDigest(one, ['b', 'tex']), toDigest(['at', 'ext'], other)];
  const digests = [toDigest(one, other), ...others].map(({ sha256 }) => sha256);
  expect(new Set(digests).size).toBe(5);
});
