import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

type Problem = { detail: string; errors: { pointer: string; detail: string }[] };

it('404: a path segment that is not a valid name does not exist', async () => {
  const { request } = await startApi();
  expect((await request('/v1/orgs/acme/products/..%2F..%2Fetc')).status).toBe(404);
});

it('422: lists every invalid and every unknown field by its pointer', async () => {
  const { request } = await startApi();
  const response = await request('/v1/orgs', { method: 'POST', body: { displayName: 7, 'a/b': 1 } });
  expect(response.status).toBe(422);
  const { errors, detail } = (await response.json()) as Problem;
  expect(errors).toEqual([
    { pointer: '/name', detail: 'is missing' },
    { pointer: '/displayName', detail: 'invalid input: expected string, received number' },
    { pointer: '/a~1b', detail: 'is not a known property' },
  ]);
  expect(detail).toContain('/name is missing');
});

it.each(['0', '501', 'x', '1.5'])('422: rejects the limit %s', async (limit) => {
  const { request } = await startApi();
  const response = await request(`/v1/orgs?limit=${limit}`);
  expect(response.status).toBe(422);
  expect(((await response.json()) as Problem).errors[0]?.pointer).toBe('?limit');
});
