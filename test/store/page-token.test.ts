import { expect, it } from 'vitest';
import { decodePageToken, encodePageToken } from '../../src/store/page-token.ts';

const position = { version: 12, namespace: 'org-acme', name: 'shop' };

it('decodes the position that it encoded', () => {
  expect(decodePageToken('query', encodePageToken('query', position))).toEqual(position);
  const withNext = { ...position, next: 'eyJ2/+=%' };
  expect(decodePageToken('query', encodePageToken('query', withNext))).toEqual(withNext);
});

it.each([
  ['a token of another query', encodePageToken('other', position)],
  ['a corrupted token', `${encodePageToken('query', position)}A`],
  ['an empty token', ''],
  ['a token with a part that cannot be decoded', Buffer.from('12/org-acme/shop/digest/%').toString('base64url')],
])('rejects %s', (_, token) => {
  expect(() => decodePageToken('query', token)).toThrow(
    expect.objectContaining({
      reason: 'expired-page',
      code: 'invalid',
      errors: [expect.objectContaining({ pointer: '?continue' })],
    }),
  );
});
