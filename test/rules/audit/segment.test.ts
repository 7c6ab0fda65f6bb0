import { expect, it } from 'vitest';
import { assertBlobKey } from '../../../src/integrations/blobs/assert-blob-key.ts';
import { parseSegmentKey, scopePrefix, segmentKey } from '../../../src/rules/audit/segment.ts';

const range = { first: '20261125t120000001z-ffffffff', last: '20261125t130000001z-ffffffff' };

it('parseSegmentKey reads the range of a key that segmentKey wrote', () => {
  const key = segmentKey('a-uid', range, 'abc');
  expect(assertBlobKey(key)).toBe(key);
  expect(key.startsWith(scopePrefix('a-uid'))).toBe(true);
  expect(parseSegmentKey(key)).toEqual({ key, ...range });
});

it('parseSegmentKey ignores other keys', () => {
  for (const key of ['audit/a-uid/x', 'audit/a/b_c', 'audit/a/b/c_d_e', 'runs/a/b_c_d'])
    expect(parseSegmentKey(key)).toBeUndefined();
});
