import { z } from '@hono/zod-openapi';
import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { assertValidRequest } from '../../../api/http/assert-valid-request.ts';
import { ServiceError } from '../../../src/errors.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
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

it('422: tells each limit in words', async () => {
  const { request } = await startApi();
  const zone = { name: 'z', replicas: 21, verify: { url: `https://a/${'x'.repeat(2_000)}`, timeoutSeconds: 0 } };
  const repos = Array.from({ length: 21 }, (_, index) => `acme/repo-${index}`);
  const spec = { displayName: 'x'.repeat(101), repos, delivery: { zones: [zone] } };
  const response = await request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec } });
  const { errors } = (await response.json()) as Problem;
  expect(new Map(errors.map(({ pointer, detail }) => [pointer, detail]))).toEqual(
    new Map([
      ['/spec/displayName', 'must have at most 100 characters'],
      ['/spec/repos', 'must have at most 20 items'],
      ['/spec/delivery/zones/0/verify/url', 'must have at most 2000 characters'],
      ['/spec/delivery/zones/0/verify/timeoutSeconds', 'must be at least 1'],
      ['/spec/delivery/zones/0/replicas', 'must be at most 20'],
    ]),
  );
});

it('422: names 20 of many invalid fields, so that the response is not larger than the request', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const keys = Array.from({ length: 1_000 }, (_, index) => [`key-${index}`, 1]);
  const body = JSON.stringify(Object.fromEntries([['x'.repeat(3_000), 1], ...keys]));
  const response = await request('/v1/auth/sign-in', { method: 'POST', body });
  expect(response.status).toBe(422);
  const text = await response.text();
  expect(text.length).toBeLessThan(body.length / 2);
  const { errors, detail } = JSON.parse(text) as Problem;
  expect(errors).toHaveLength(20);
  // The two missing fields are among all 1003.
  expect(detail).toMatch(/; and 983 more\.$/);
});

it('422: names the field that tells the variants of an object apart', async () => {
  const { request } = await startApi();
  const spec = { enabled: false, triggers: [], steps: [{ name: 'approve', type: 'robot' }] };
  const response = await request('/v1/orgs/acme/agentworkflows', { method: 'POST', body: { name: 'change', spec } });
  expect(((await response.json()) as Problem).errors).toMatchObject([{ pointer: '/spec/steps/0/type' }]);
});

it('413: takes little from strangers', async () => {
  const { request } = await startApi({ role: 'anonymous' });
  const body = { email: 'jo@example.com', password: 'x'.repeat(16 * 1024) };
  expect((await request('/v1/auth/sign-in', { method: 'POST', body })).status).toBe(413);
});

it('400: rejects a request without a body, which would reset optional settings', async () => {
  const { request, store } = await startApi();
  const limits = '/v1/orgs/acme/agent-limits';
  expect((await request(limits, { method: 'PUT', body: { costUsdPerDay: 5 } })).status).toBe(200);
  const response = await request(limits, { method: 'PUT' });
  expect(await response.json()).toMatchObject({ status: 400, detail: 'The body is not valid JSON: it is empty.' });
  const org = await store.get(OrganizationKind, { namespace: 'service-system', name: 'acme' });
  expect(org.spec.agents).toEqual({ costUsdPerDay: 5 });
});

it.each(['0', '501', 'x', '1.5'])('422: rejects the limit %s', async (limit) => {
  const { request } = await startApi();
  const response = await request(`/v1/orgs?limit=${limit}`);
  expect(response.status).toBe(422);
  expect(((await response.json()) as Problem).errors[0]?.pointer).toBe('?limit');
});

it('422: names a query parameter as such, and ends after the last invalid one', async () => {
  const { request } = await startApi();
  expect(await (await request('/v1/orgs?limit=x&order=name')).json()).toMatchObject({
    detail: 'The query of the request is invalid: ?limit must be an integer; ?order is not a known query parameter.',
  });
});

it('422: shortens a pointer that is too long, and counts in the singular', async () => {
  const { request } = await startApi();
  const keys = ['x'.repeat(199), 'x'.repeat(200), 'a~/b'];
  const body = { label: '', ...Object.fromEntries(keys.map((key) => [key, 1])) };
  const response = await request('/v1/me/tokens', { method: 'POST', via: 'session', body });
  const detail = 'is not a known property';
  expect(((await response.json()) as Problem).errors).toEqual([
    { pointer: '/label', detail: 'must have at least 1 character' },
    { pointer: `/${'x'.repeat(199)}`, detail },
    { pointer: `/${'x'.repeat(199)}…`, detail },
    { pointer: '/a~0~1b', detail },
  ]);
});

it('422: takes no property of the prototype from a body', async () => {
  const { request, store } = await startApi();
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const body = `{"name": "evil", "${key}": {"platformAdmin": true, "isAdmin": true}}`;
    const response = await request('/v1/orgs', { method: 'POST', body });
    expect(response.status, key).toBe(422);
    expect(((await response.json()) as Problem).errors, key).toContainEqual({
      pointer: `/${key}`,
      detail: 'is not a known property',
    });
  }
  expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  expect(await store.find(OrganizationKind, { namespace: 'service-system', name: 'evil' })).toBeUndefined();
});

it.each([
  ['arrays', '['.repeat(200_000) + ']'.repeat(200_000)],
  ['objects', '{"name":'.repeat(50_000) + '1' + '}'.repeat(50_000)],
])('422: rejects a body of deeply nested %s', async (_what, nested) => {
  const { request } = await startApi();
  const response = await request('/v1/orgs', { method: 'POST', body: `{"name": ${nested}}` });
  expect(response.status).toBe(422);
});

/** Returns the errors of a value that is sent in a part of a request. */
async function listErrors(schema: z.ZodType, value: unknown, target = 'json') {
  const app = new Hono()
    .onError((error, c) => c.json(error instanceof ServiceError ? error.errors : [String(error)]))
    .post('/', (c) => {
      assertValidRequest({ target, ...schema.safeParse(value) }, c);
      return c.json([]);
    });
  return await (await app.request('/', { method: 'POST', headers: { 'content-type': 'application/json' } })).json();
}

it('tells what is wrong with the variant that is nearest', async () => {
  const far = z.object({ kind: z.number(), size: z.number(), label: z.number() });
  const near = z.object({ kind: z.string(), size: z.number() });
  const value = { shapes: [{ kind: 'circle', size: 'x', label: 'y' }] };
  for (const variants of [
    [far, near],
    [near, far],
  ] as const)
    expect(await listErrors(z.object({ shapes: z.array(z.union(variants)) }), value)).toEqual([
      { pointer: '/shapes/0/size', detail: 'invalid input: expected number, received string' },
    ]);
});

it.each([
  [z.number().lt(5), 5, 'must be less than 5'],
  [z.number().lte(5), 6, 'must be at most 5'],
  [z.number().gt(5), 5, 'must be more than 5'],
  [z.number().gte(5), 4, 'must be at least 5'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.array(z.string()).min(2), [], 'must have at least 2 items'],
  [z.string().max(1, 'Choose a letter'), 'xx', 'choose a letter'],
  [z.string().min(3, 'Choose a word'), 'xx', 'choose a word'],
])('tells each limit, or what the schema says: %#', async (schema, value, detail) => {
  expect(await listErrors(z.object({ field: schema }), { field: value })).toEqual([{ pointer: '/field', detail }]);
});

it('names the parameter of a query by its first name', async () => {
  expect(await listErrors(z.object({ limit: z.array(z.string()) }), { limit: [7] }, 'query')).toMatchObject([
    { pointer: '?limit' },
  ]);
  expect(await listErrors(z.string(), 7, 'query')).toMatchObject([{ pointer: '?' }]);
});
