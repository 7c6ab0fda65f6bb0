import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

it('forbids framing, content sniffing and shared caching, and allows no other origin', async () => {
  const { request } = await startApi();
  const { headers } = await request('/v1/me', { headers: { Origin: 'https://elsewhere.example' } });
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(headers.get('X-Frame-Options')).toBe('DENY');
  expect(headers.get('Cache-Control')).toBe('private, no-cache');
  expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
  expect(headers.get('X-Request-Id')).toBeTruthy();
});

it('replaces a request id that is not safe to log', async () => {
  const { request } = await startApi();
  const { headers } = await request('/v1/me', { headers: { 'X-Request-Id': 'a b' } });
  expect(headers.get('X-Request-Id')).toMatch(/^[\w-]{36}$/);
});

it('422: are also on a problem that replaces a cached response', async () => {
  const { request } = await startApi();
  const list = async (etag: string) => await request('/v1/orgs/acme/products', { headers: { 'If-None-Match': etag } });
  for (let at = 0; at < 3; at += 1) expect((await list('"other"')).status).toBe(200);
  const { status, headers } = await list('malformed');
  expect(status).toBe(422);
  expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
});
