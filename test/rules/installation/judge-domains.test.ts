import { expect, it } from 'vitest';
import type { Observation } from '../../../src/rules/domains/observation.ts';
import { judgeManagedRoot, judgePlatformDomain } from '../../../src/rules/installation/judge-domains.ts';

const answer: Observation<string> = {
  outcome: 'found',
  records: ['192.0.2.1'],
  authoritative: true,
  server: 'ns.example.net',
  response: 'NOERROR',
  at: '2026-11-25T08:00:00.000Z',
  aliases: [],
};
const traffic = {
  addresses: answer,
  ingress: { host: undefined as string | undefined, addresses: ['192.0.2.1'] },
  isProxied: () => false,
  allowedInside: [],
};

it('a platform domain is ok where a name under it leads to the ingress, by address or by alias', () => {
  expect(judgePlatformDomain('apps.example.net', traffic)).toMatchObject({ result: 'ok' });
  const ingress = { host: 'ingress.example.com', addresses: [] };
  const addresses = { ...answer, aliases: ['ingress.example.com'], records: [] };
  expect(judgePlatformDomain('apps.example.net', { ...traffic, ingress, addresses })).toMatchObject({ result: 'ok' });
  expect(judgePlatformDomain('apps.localhost', { ...traffic, addresses: { ...answer, records: [] } })).toMatchObject({
    result: 'ok',
  });
});

it('a platform domain that leads elsewhere gets a warning with the record to add', () => {
  const addresses = { ...answer, records: ['198.51.100.7'] };
  expect(judgePlatformDomain('apps.example.net', { ...traffic, addresses })).toMatchObject({
    result: 'warning',
    fix: expect.stringContaining('A *.apps.example.net → 192.0.2.1') as string,
  });
  const ingress = { host: 'ingress.example.com', addresses: ['192.0.2.1'] };
  expect(judgePlatformDomain('apps.example.net', { ...traffic, addresses, ingress })).toMatchObject({
    fix: expect.stringContaining('CNAME *.apps.example.net → ingress.example.com') as string,
  });
});

it('a platform domain cannot be compared without an ingress', () => {
  const ingress = { host: undefined, addresses: [] };
  expect(judgePlatformDomain('apps.example.net', { ...traffic, ingress })).toMatchObject({
    result: 'warning',
    fix: expect.stringContaining('INGRESS_HOST') as string,
  });
});

it('a root is ok with a verified domain or a server of its DNS zone, and otherwise gets a warning', () => {
  const judge = (change: Partial<Observation<string>>, verified?: string) =>
    judgeManagedRoot('sites.example.net', { answer: { ...answer, ...change }, verified }).result;
  expect(judge({ outcome: 'unknown' }, 'acme.sites.example.net')).toBe('ok');
  expect(judge({ outcome: 'absent' })).toBe('ok');
  expect(judge({ outcome: 'unknown' })).toBe('warning');
  expect(judge({ outcome: 'absent', authoritative: false })).toBe('warning');
});
