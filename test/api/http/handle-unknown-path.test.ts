import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

it('404: names the unknown path', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const response = await request('/v1/nothing');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    reason: 'not-found',
    detail: expect.stringContaining('/api/v1/nothing'),
  });
});

it('405: lists the methods of the path', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const response = await request('/v1/orgs/acme/products', { method: 'PATCH' });
  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, HEAD, POST');
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ reason: 'method-not-allowed' });
});
