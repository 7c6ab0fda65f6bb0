import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { toCurlOfPath } from '../../../../src/clients/ui/shell/to-curl.ts';

const origin = 'https://delivery.example.com';

it.each([
  ['/', '/me/waiting'],
  ['/acme', '/orgs/acme/products'],
  ['/acme/changes/change-shop-418', '/orgs/acme/agentworkflowruns/change-shop-418'],
  ['/acme/products/shop/zones/shop-prod', '/orgs/acme/products/shop/zones/shop-prod'],
])('%s is read by %s', (pathname, path) => {
  expect(toCurlOfPath(origin, pathname)).toBe(`curl -sS -H "Authorization: Bearer $token" '${origin}/api/v1${path}'`);
});

it.each(['/help', '/help/roles', '/device', '/settings', '/acme/board'])('%s has no call of its own', (pathname) => {
  expect(toCurlOfPath(origin, pathname)).toBeUndefined();
});

it('runs nothing of the path of a link in the shell', () => {
  const { pathname } = new URL("/acme/changes/$(printf${IFS}ran);printf$IFS'ran'", origin);
  const command = toCurlOfPath(origin, pathname)?.replace('curl', "printf '%s\\n'") ?? '';
  const [url] = execFileSync('sh', ['-c', command], { encoding: 'utf8' }).trimEnd().split('\n').reverse();
  expect(url).toBe(`${origin}/api/v1/orgs/acme/agentworkflowruns/$(printf$%7BIFS%7Dran);printf$IFS%27ran%27`);
});
