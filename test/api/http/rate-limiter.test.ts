import { expect, it } from 'vitest';
import { RateLimiter } from '../../../api/http/rate-limiter.ts';
import { loadConfig } from '../../../src/config.ts';
import { startApi } from '../../support/start-api.ts';

const at = (seconds: number): Date => new Date(seconds * 1_000);

it('counts each caller apart, and starts again after a minute', () => {
  const limiter = new RateLimiter(2);
  expect(limiter.consume('ada', at(0))).toEqual({ limit: 2, remaining: 1, resetSeconds: 60, isExceeded: false });
  expect(limiter.consume('ada', at(20))).toEqual({ limit: 2, remaining: 0, resetSeconds: 40, isExceeded: false });
  expect(limiter.consume('ada', at(59.5))).toEqual({ limit: 2, remaining: 0, resetSeconds: 1, isExceeded: true });
  expect(limiter.consume('bob', at(59.5)).isExceeded).toBe(false);
  expect(limiter.consume('ada', at(60)).remaining).toBe(1);
});

it('429: rejects requests beyond the limit, and tells every caller what is left', async () => {
  let time = Date.now();
  const quotas = { ...loadConfig({}).quotas, requestsPerUserPerMinute: 2 };
  const { request } = await startApi({ config: { quotas }, now: () => new Date(time), role: 'org-admin' });
  const ask = async () => {
    const { status, headers } = await request('/v1/orgs/acme/agentroles');
    return [status, headers.get('RateLimit'), headers.get('Retry-After')];
  };
  expect(await ask()).toEqual([200, '"requests";r=1;t=60', null]);
  expect(await ask()).toEqual([200, '"requests";r=0;t=60', null]);
  time += 30_000;
  expect(await ask()).toEqual([429, '"requests";r=0;t=30', '30']);
  const other = await request('/v1/me', { role: 'viewer' });
  expect(other.headers.get('RateLimit-Policy')).toBe('"requests";q=2;w=60');
  time += 30_000;
  expect((await ask())[0]).toBe(200);
});

it('429: leaves a fifth to the sessions of the owner of a stolen token, who revokes it there', async () => {
  const time = new Date();
  const quotas = { ...loadConfig({}).quotas, requestsPerUserPerMinute: 10 };
  const { request } = await startApi({ config: { quotas }, now: () => time, role: 'viewer' });
  const ask = async (via: 'token' | 'session') => {
    const { status, headers } = await request('/v1/me', { via });
    return [status, headers.get('RateLimit-Policy'), headers.get('RateLimit')];
  };
  for (let remaining = 7; remaining >= 0; remaining -= 1)
    expect(await ask('token')).toEqual([200, '"requests";q=8;w=60', `"requests";r=${remaining};t=60`]);
  for (let refused = 0; refused < 5; refused += 1) expect((await ask('token'))[0]).toBe(429);
  expect(await ask('session')).toEqual([200, '"requests";q=10;w=60', '"requests";r=1;t=60']);
  expect((await ask('session'))[0]).toBe(200);
  expect((await ask('session'))[0]).toBe(429);
});

it('429: counts the requests with tokens towards the limit of the person', async () => {
  const time = new Date();
  const quotas = { ...loadConfig({}).quotas, requestsPerUserPerMinute: 10 };
  const { request } = await startApi({ config: { quotas }, now: () => time, role: 'viewer' });
  const ask = async (via: 'token' | 'session') => (await request('/v1/me', { via })).status;
  for (let asked = 0; asked < 9; asked += 1) expect(await ask('session')).toBe(200);
  expect(await ask('token')).toBe(200);
  expect([await ask('token'), await ask('session')]).toEqual([429, 429]);
});
