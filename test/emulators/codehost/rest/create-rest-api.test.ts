import { expect, it } from 'vitest';
import { startShopFixture } from '../codehost-fixture.ts';

it("returns GitHub's error codes, rate limit headers and ETags", async () => {
  const { codehost } = await startShopFixture();
  const send = async (
    path: string,
    {
      method = 'GET',
      body,
      token = codehost.userToken as string | undefined,
      headers = {} as Record<string, string>,
    } = {} as { method?: string; body?: string; token?: string | undefined; headers?: Record<string, string> },
  ) => {
    const response = await fetch(`${codehost.apiUrl}${path}`, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    };
  };
  const issues = '/repos/acme/shop/issues';

  expect(await send('/unknown/path')).toMatchObject({
    status: 404,
    body: { message: 'Not Found', documentation_url: expect.any(String) },
  });
  expect(await send('/v3')).toMatchObject({ status: 404 });
  expect(await send(issues, { method: 'POST', body: '{' })).toMatchObject({
    status: 400,
    body: { message: 'Problems parsing JSON' },
  });
  expect(await send(issues, { method: 'POST', body: '{}' })).toMatchObject({
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
  });
  const anonymous = await fetch(`${codehost.apiUrl}${issues}`, { method: 'POST', body: '{"title":"x"}' });
  expect(anonymous.status).toBe(401);

  const first = await send('/repos/acme/shop');
  expect(first.headers.get('x-ratelimit-remaining')).toBe('4999');
  expect(first.headers.get('x-github-request-id')).toMatch(/^[0-9A-F]+$/);
  const etag = first.headers.get('etag') ?? '';
  expect(await send('/repos/acme/shop', { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304 });
});
