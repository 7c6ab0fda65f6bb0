import { expect, it } from 'vitest';
import { listRequiredRecords } from '../../../src/rules/domains/dns-records.ts';
import type { DomainSettings } from '../../../src/rules/domains/kinds.ts';

const settings: DomainSettings = {
  platformDomain: undefined,
  ownHosts: [],
  managedBaseDomains: [],
  ingress: { host: 'in.test', addresses: ['192.0.2.1', '2001:db8::1'] },
  certificateAuthorities: [],
  platformOrg: undefined,
};

const list = (
  name: string,
  kind: 'platform' | 'managed' | 'external' = 'external',
  ingress: Partial<DomainSettings['ingress']> = {},
) => {
  const spec = { name, kind, shared: false, token: 't' };
  return listRequiredRecords({ spec }, { ...settings, ingress: { ...settings.ingress, ...ingress } }).map(
    ({ type, name: at, value }) => `${type} ${at} ${value}`,
  );
};

it('lists the challenge and aliases for a subdomain', () => {
  expect(list('shop.example.com')).toEqual([
    'TXT _service.shop.example.com service-verify=t',
    'CNAME shop.example.com in.test',
    'CNAME *.shop.example.com in.test',
  ]);
});

it('lists addresses for a registered domain, which cannot have a CNAME', () => {
  expect(list('example.com')).toEqual([
    'TXT _service.example.com service-verify=t',
    'A example.com 192.0.2.1',
    'AAAA example.com 2001:db8::1',
    'CNAME *.example.com in.test',
  ]);
});

it('lists addresses when the ingress has no host name', () => {
  expect(list('shop.example.com', 'external', { host: undefined, addresses: ['192.0.2.1'] })).toEqual([
    'TXT _service.shop.example.com service-verify=t',
    'A shop.example.com 192.0.2.1',
    'A *.shop.example.com 192.0.2.1',
  ]);
});

it('says that an alias also works for a registered domain, when the ingress has a host name', () => {
  const toPurposes = (host: string | undefined) =>
    listRequiredRecords(
      { spec: { name: 'example.com', kind: 'managed', shared: false, token: 't' } },
      { ...settings, ingress: { host, addresses: ['192.0.2.1'] } },
    ).map(({ purpose }) => purpose);
  expect(toPurposes('in.test')).toEqual(['traffic; an ALIAS or flattened CNAME to in.test also works', 'traffic']);
  expect(toPurposes(undefined)).toEqual(['traffic', 'traffic']);
});

it('lists no challenge for a managed domain, and no record for the platform domain', () => {
  expect(list('acme.one.example.org', 'managed').map((record) => record.split(' ')[0])).toEqual(['CNAME', 'CNAME']);
  expect(list('apps.example.net', 'platform')).toEqual([]);
});
