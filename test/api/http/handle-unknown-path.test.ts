import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

it('404: names the unknown path', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const response = await request('/v1/nothing');
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    reason: 'not-found',
    detail: 'The path /api/v1/nothing does not exist. All paths are listed at http://localhost:8080/api/docs.',
  });
});

it('302: sends a browser from the root of the API to the reference, and from a path with a slash at its end', async () => {
  const { app } = await startApi();
  const locate = async (path: string) => {
    const response = await app.request(path);
    return [response.status, response.headers.get('Location')];
  };
  expect(await locate('/api')).toEqual([302, 'http://localhost:8080/api/docs']);
  expect(await locate('http://localhost/api/docs/')).toEqual([301, 'http://localhost:8080/api/docs']);
  const response = await app.request('/api/v1/orgs/', { method: 'POST' });
  expect(await response.json()).toMatchObject({
    status: 404,
    detail: expect.stringContaining('Leave out the slash at its end.'),
  });
});

it('301: redirects to https behind a proxy that ends TLS, so that no client sends its token in the clear', async () => {
  const { app } = await startApi({ config: { publicUrl: 'https://delivery.example.com' } });
  const locate = async (path: string, method: string) =>
    (await app.request(`http://delivery.example.com${path}`, { method })).headers.get('Location');
  expect(await locate('/api/v1/orgs/?limit=5', 'GET')).toBe('https://delivery.example.com/api/v1/orgs?limit=5');
  expect(await locate('/api/v1/orgs/', 'HEAD')).toBe('https://delivery.example.com/api/v1/orgs');
  expect(await locate('//evil.example/', 'GET')).toBe('https://delivery.example.com//evil.example');
});

it('405: lists the methods of the path', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const response = await request('/v1/orgs/acme/products', { method: 'PATCH' });
  expect(response.status).toBe(405);
  expect(response.headers.get('Allow')).toBe('GET, HEAD, POST');
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ reason: 'method-not-allowed' });
  const listAllowed = async (path: string) => (await request(path, { method: 'PATCH' })).headers.get('Allow');
  expect(await listAllowed('/v1/auth/sign-in')).toBe('POST');
  expect(await listAllowed('/v1/codehost/callback')).toBe('GET, HEAD');
});
