import { expect, it } from 'vitest';
import { ByteBudget } from '../../../api/intake/byte-budget.ts';
import { createEarlyRefusal } from '../../../api/intake/refuse-early.ts';

const mib = 1024 * 1024;

function createRefusal(usedBytes = 0) {
  const unverifiedBodies = new ByteBudget(8 * mib);
  unverifiedBodies.hold(usedBytes);
  const webhooks = { bodyBytesMax: 5 * mib, unverifiedBytesMax: 8 * mib };
  return createEarlyRefusal({ config: { publicUrl: 'https://example.com', webhooks }, unverifiedBodies });
}

const delivery = (bytes: number, url = '/api/v1/webhooks/codehost') => ({
  url,
  headers: { 'content-length': String(bytes), 'x-request-id': 'request-1' },
});

it('refuses a body over the limit with a problem document and the headers of every response', () => {
  const refusal = createRefusal()(delivery(25 * mib));
  expect(refusal).toMatchObject({
    status: 413,
    headers: {
      'Content-Type': 'application/problem+json',
      'X-Request-Id': 'request-1',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': expect.stringContaining('max-age') as string,
    },
  });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({
    type: 'https://example.com/api/docs/problems#too-large',
    reason: 'too-large',
    instance: 'request-1',
  });
  expect(createRefusal()(delivery(25 * mib, '/api/v1/webhooks/codehost?x=1'))?.status).toBe(413);
});

it('refuses a body that does not fit the budget, and names the time to retry', () => {
  const refusal = createRefusal(6 * mib)(delivery(2 * mib));
  expect(refusal).toMatchObject({ status: 503, headers: { 'Retry-After': '10' } });
  expect(JSON.parse(refusal?.body ?? '')).toMatchObject({ reason: 'intake-overloaded' });
  expect(createRefusal(6 * mib)(delivery(10_000))).toBeUndefined();
});

it('passes bodies that fit, bodies without a length, and other paths', () => {
  const refuse = createRefusal();
  expect(refuse(delivery(5 * mib))).toBeUndefined();
  expect(refuse({ url: '/api/v1/webhooks/codehost', headers: {} })).toBeUndefined();
  expect(refuse(delivery(25 * mib, '/api/v1/orgs'))).toBeUndefined();
  expect(refuse(delivery(25 * mib, '/api/v1/webhooks/codehosts'))).toBeUndefined();
});
