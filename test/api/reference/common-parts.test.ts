import { expect, it } from 'vitest';
import { commonHeaders } from '../../../api/reference/common-parts.ts';

it('requires the headers that every response with them has, and not those that some may leave out', () => {
  const required = Object.entries(commonHeaders).filter(([, header]) => 'required' in header && header.required);
  expect(required.map(([name]) => name).toSorted()).toEqual([
    'Deprecation',
    'Link',
    'Location',
    'Retry-After',
    'Sunset',
    'WWW-Authenticate',
    'X-Request-Id',
  ]);
});
