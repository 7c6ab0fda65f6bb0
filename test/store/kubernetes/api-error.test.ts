import { expect, it } from 'vitest';
import {
  ApiServerError,
  parseRetryAfterMs,
  parseStatus,
  type Status,
  toServiceError,
  withoutWords,
} from '../../../src/store/kubernetes/api-error.ts';
import { ProbeKind } from '../../contracts/store/probe.ts';

const translate = (code: number, status: Status): unknown =>
  toServiceError(new ApiServerError(code, status), ProbeKind, { namespace: 'org-acme', name: 'a' });

it.each<[code: number, status: Status, reason: string, message: string]>([
  [404, { reason: 'NotFound' }, 'not-found', 'No Probe named "a" in org "acme"'],
  [409, { reason: 'AlreadyExists' }, 'already-exists', 'already exists'],
  [409, { reason: 'Conflict' }, 'stale-version', 'has changed since it was read'],
  [413, { message: 'big' }, 'too-large', 'big. Make it smaller or split it.'],
  [500, { message: 'etcdserver: request is too large' }, 'too-large', 'split it'],
  [400, { message: 'no' }, 'invalid', 'was rejected by the API server: no.'],
  [401, {}, 'cluster-access-denied', 'rejected by the API server: 401. Grant'],
  [403, {}, 'cluster-access-denied', 'Grant the service account the missing permission'],
  [500, { message: 'etcd is away' }, 'cluster-unavailable', 'etcd is away'],
])('translates %i %j to %s', (code, status, reason, message) => {
  expect(translate(code, status)).toMatchObject({ reason, message: expect.stringContaining(message) });
});

it('points at the invalid fields, and passes other errors on', () => {
  const causes = [{ field: 'spec.zones[0].name', message: 'is taken' }, {}];
  expect(translate(422, { details: { causes } })).toMatchObject({
    reason: 'invalid',
    errors: [
      { pointer: '/spec/zones/0/name', detail: 'is taken' },
      { pointer: '/', detail: '' },
    ],
  });
  const other = new Error('The connection was lost.');
  expect(toServiceError(other, ProbeKind, { namespace: '', name: '' })).toBe(other);
});

it.each([
  [undefined, 0],
  ['2', 2_000],
  ['Wed, 21 Oct 2026 07:28:00 GMT', 0],
  [['1', '2'], 0],
])('reads the header Retry-After %j', (header, ms) => {
  expect(parseRetryAfterMs(header)).toBe(ms);
});

it('keeps of the status of another cluster what decides, and none of its words', () => {
  const status = {
    reason: 'Forbidden',
    message: 'User "zones" cannot create it.',
    details: { kind: 'namespaces', name: 'shop', causes: [{ reason: 'NamespaceTerminating', message: 'it ends' }, {}] },
  };
  expect(withoutWords(parseStatus(JSON.stringify(status)))).toEqual({
    reason: 'Forbidden',
    details: { kind: 'namespaces', causes: [{ reason: 'NamespaceTerminating' }, {}] },
  });
  expect(parseStatus('<html>')).toEqual({ message: '<html>' });
  expect(withoutWords(parseStatus('<html>'))).toEqual({ details: { causes: [] } });
});
