import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { assertSameOrigin } from '../../../api/auth/assert-same-origin.ts';
import { isServiceError } from '../../../src/errors.ts';

const app = new Hono()
  .onError((error, c) => c.text(isServiceError(error) ? (error.reason ?? '') : 'broken', 403))
  .all('/', (c) => {
    assertSameOrigin(c, 'https://delivery.example.com/');
    return c.text('accepted');
  });
const send = async (headers: Record<string, string>, method = 'POST'): Promise<string> =>
  await (await app.request('http://10.0.0.1:8080/', { method, headers })).text();
const foreign = { origin: 'https://evil.example' };

it.each([
  ['without what a browser sends', {}],
  ['from the public address', { origin: 'https://delivery.example.com' }],
  ['from the address of the request', { origin: 'http://10.0.0.1:8080' }],
  ['of the same origin', { 'sec-fetch-site': 'same-origin' }],
  ['that the person typed', { 'sec-fetch-site': 'none' }],
  ['from its own page, whatever the site says', { origin: 'http://10.0.0.1:8080', 'sec-fetch-site': 'cross-site' }],
])('accepts a change %s', async (_, headers) => {
  expect(await send(headers)).toBe('accepted');
});

it.each([
  ['another origin', foreign],
  ['another port', { origin: 'http://10.0.0.1:8081' }],
  ['no origin', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another origin of the site', { 'sec-fetch-site': 'same-site' }],
])('rejects a change from %s', async (_, headers) => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
    expect(await send(headers, method)).toBe('cross-origin-request');
});

it('lets every origin read', async () => {
  expect(await send(foreign, 'GET')).toBe('accepted');
  expect(await send(foreign, 'OPTIONS')).toBe('accepted');
});
