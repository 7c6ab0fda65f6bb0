import { describe, expect, it } from 'vitest';
import { startApi, type StartedApi } from '../support/start-api.ts';

type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  errors: { pointer: string; detail: string }[];
};

const problem = async (response: Response): Promise<Problem> => {
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  return (await response.json()) as Problem;
};
const create = async ({ request }: StartedApi, body: unknown, headers: Record<string, string> = {}) =>
  request('/v1/orgs', { method: 'POST', body, headers });

describe('a refusal', () => {
  it('names its kind, its request and a page of this install', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/nowhere', { headers: { 'X-Request-Id': 'mine-1' } });
    expect(await problem(response)).toEqual({
      type: 'http://localhost:8080/api/docs/problems#not-found',
      title: 'Not found',
      status: 404,
      detail: 'No Organization named "nowhere" in the installation.',
      instance: 'mine-1',
      errors: [],
    });
    expect(response.headers.get('X-Request-Id')).toBe('mine-1');
  });

  it.each([
    ['{"name": "a",}', 'something is wrong at line 1, column 14'],
    ['{"name":\n tru}', 'an unexpected "}" is in it'],
    ['{"name": "a', 'something is wrong at line 1, column 12'],
    ['', 'it is empty'],
  ])('400: says where %j stops being JSON', async (body, where) => {
    const response = await create(await startApi(), body);
    expect(response.status).toBe(400);
    expect((await problem(response)).detail).toBe(`The body is not JSON: ${where}.`);
  });

  it('404: names a path that is not there', async () => {
    const { request } = await startApi({ role: 'nobody' });
    const response = await request('/v1/nothing');
    expect(response.status).toBe(404);
    expect((await problem(response)).detail).toContain('/api/v1/nothing');
  });

  it('404: takes a name that nothing can have for a thing that is not there', async () => {
    const { request } = await startApi();
    expect((await request('/v1/orgs/acme/products/..%2F..%2Fetc')).status).toBe(404);
  });

  it('405: names the methods that the path has', async () => {
    const { request } = await startApi({ role: 'nobody' });
    const response = await request('/v1/orgs/acme/products', { method: 'PATCH' });
    expect(response.status).toBe(405);
    expect(response.headers.get('Allow')).toBe('GET, HEAD, POST');
    await problem(response);
  });

  it('413: refuses a body over one MiB, whether its length is declared or not', async () => {
    const api = await startApi();
    const large = JSON.stringify({ name: 'x'.repeat(1024 * 1024) });
    expect((await problem(await create(api, large))).status).toBe(413);
    const body = new Blob([large]).stream();
    const headers = {
      Authorization: `Bearer ${await api.tokenOf('platform-admin')}`,
      'Content-Type': 'application/json',
    };
    const streamed = await api.app.request('/api/v1/orgs', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit);
    expect(streamed.status).toBe(413);
  });

  it('415: takes JSON only', async () => {
    const response = await create(await startApi(), 'name=a', { 'Content-Type': 'application/x-www-form-urlencoded' });
    expect(response.status).toBe(415);
    expect((await problem(response)).detail).toContain('application/x-www-form-urlencoded');
  });

  it('422: names every wrong field and every unknown one by its pointer', async () => {
    const response = await create(await startApi(), { displayName: 7, 'a/b': 1 });
    expect(response.status).toBe(422);
    const { errors, detail } = await problem(response);
    expect(errors).toEqual([
      { pointer: '/name', detail: 'is missing' },
      { pointer: '/displayName', detail: 'invalid input: expected string, received number' },
      { pointer: '/a~1b', detail: 'is not a known property' },
    ]);
    expect(detail).toContain('/name is missing');
  });

  it.each(['0', '501', 'x', '1.5'])('422: refuses the limit %s', async (limit) => {
    const { request } = await startApi();
    const response = await request(`/v1/orgs?limit=${limit}`);
    expect(response.status).toBe(422);
    expect((await problem(response)).errors[0]?.pointer).toBe('?limit');
  });

  it('422: refuses a page that is none of this list', async () => {
    const { request } = await startApi();
    const response = await request('/v1/orgs/acme/products?continue=made-up');
    expect(response.status).toBe(422);
    expect((await problem(response)).errors[0]?.pointer).toBe('?continue');
  });

  it('500: says nothing of a fault but where its log line is found', async () => {
    const lines: object[] = [];
    const log = { info: () => {}, warn: () => {}, error: (facts: object) => lines.push(facts) };
    const { request, store } = await startApi({ log });
    await request('/v1/me');
    await store.close();
    const response = await request('/v1/me');
    expect(response.status).toBe(500);
    const { detail, instance } = await problem(response);
    expect(detail).toBe('The service failed at this request. Quote the instance to its operators.');
    expect(lines).toEqual([expect.objectContaining({ requestId: instance, path: '/api/v1/me' })]);
    expect(JSON.stringify(lines)).not.toContain('svc_');
  });

  it('503: says when to come back while the workflow server is away', async () => {
    const { request } = await startApi({ role: 'org-admin' });
    await request('/v1/orgs/acme/products', { method: 'POST', body: { name: 'shop', spec: { repos: [] } } });
    const response = await request('/v1/orgs/acme/products/shop', { method: 'DELETE' });
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('5');
    await problem(response);
  });
});

describe('every answer', () => {
  it('forbids to be framed, guessed at or kept by others, and opens itself to no other site', async () => {
    const { request } = await startApi();
    const { headers } = await request('/v1/me', { headers: { Origin: 'https://elsewhere.example' } });
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(headers.get('X-Frame-Options')).toBe('DENY');
    expect(headers.get('Cache-Control')).toBe('private, no-cache');
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(headers.get('X-Request-Id')).toBeTruthy();
  });
});
