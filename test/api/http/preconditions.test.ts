import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { ApiEnv } from '../../../api/deps.ts';
import { readIfMatch, setETag } from '../../../api/http/preconditions.ts';

const app = new Hono<ApiEnv>().get('/', (c) => {
  setETag(c, '7');
  return c.json({ ifMatch: readIfMatch(c) ?? null });
});

it.each([
  ['"7"', '7'],
  ['W/"7"', '7'],
  ['*', null],
])('reads the version of If-Match %s', async (header, ifMatch) => {
  const response = await app.request('/', { headers: { 'If-Match': header } });
  expect(await response.json()).toEqual({ ifMatch });
  expect(response.headers.get('ETag')).toBe('"7"');
});
