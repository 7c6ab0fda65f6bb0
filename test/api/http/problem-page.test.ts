import { expect, it } from 'vitest';
import { startApi } from '../../support/start-api.ts';

const path = '/v1/codehost/callback?code=fresh&state=made-up';

it('401: is a page for a browser, with the status and the headers of the problem', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const response = await request(path, { headers: { Accept: 'text/html', 'X-Request-Id': 'mine-1' } });
  expect(response.status).toBe(401);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/html; charset=UTF-8',
    'content-security-policy': expect.stringContaining("default-src 'none'"),
    'cache-control': 'no-store',
    'referrer-policy': 'same-origin',
    'www-authenticate': 'Bearer realm="service"',
    'x-request-id': 'mine-1',
  });
  const html = await response.text();
  expect(html).toContain(
    '<p role="alert">The state is unknown, already used, expired, or was issued to another person or browser.',
  );
  expect(html).toContain('<code>mine-1</code>');
  expect(html).not.toMatch(/<script|<link|src=/);
});

it('401: is a problem document for every other caller', async () => {
  const { request } = await startApi({ role: 'org-admin' });
  const response = await request(path, { headers: { Accept: '*/*' } });
  expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  expect(await response.json()).toMatchObject({ status: 401, reason: 'connection-state-invalid' });
});
