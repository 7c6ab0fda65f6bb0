import { expect, it } from 'vitest';
import { validateDomainName } from '../../../src/rules/domains/validate-domain-name.ts';

const settings = {
  platformDomain: 'apps.example.net',
  ownHosts: ['delivery.example.com', 'ingress.one.example.org'],
  managedBaseDomains: ['one.example.org', 'two.example.org'],
  ingress: { host: undefined, addresses: [] },
  certificateAuthorities: [],
  platformOrg: undefined,
};

it.each([
  ['acme.one.example.org', undefined],
  ['acme.two.example.org', undefined],
  ['www.one.example.org', 'reserved'],
  ['api.one.example.org', 'reserved'],
  ['ingress.one.example.org', 'belongs to the installation'],
  ['staging.two.example.org', 'reserved'],
  ['xn--80ak6aa92e.one.example.org', 'reserved'],
  ['a.b.one.example.org', 'one label'],
  ['one.example.org', 'subdomain of'],
  ['acme.example.com', 'subdomain of one.example.org or two.example.org'],
])('managed %s: %s', (host, why) => {
  expect(validateDomainName('managed', host, settings) ?? 'fine').toContain(why ?? 'fine');
});

it('accepts managed names under a root below the own host, as on one machine', () => {
  const local = { ...settings, ownHosts: ['localhost'], managedBaseDomains: ['domains.localhost'] };
  expect(validateDomainName('managed', 'acme.domains.localhost', local)).toBeUndefined();
  expect(validateDomainName('external', 'acme.localhost', local)).toBe('belongs to the installation');
});

it('rejects managed names without domain roots', () => {
  expect(validateDomainName('managed', 'a.example.org', { ...settings, managedBaseDomains: [] })).toContain(
    'not available',
  );
});

it.each([
  ['example.com', undefined],
  ['example.co.uk', undefined],
  ['foo.github.io', undefined],
  ['github.io', undefined],
  ['com', 'public suffix'],
  ['co.uk', 'public suffix'],
  ['apps.example.net', 'belongs to the installation'],
  ['a.apps.example.net', 'belongs to the installation'],
  ['example.net', 'belongs to the installation'],
  ['example.org', 'belongs to the installation'],
  ['x.acme.one.example.org', 'belongs to the installation'],
  ['delivery.example.com', 'belongs to the installation'],
  ['a.delivery.example.com', 'belongs to the installation'],
])('external %s: %s', (host, why) => {
  expect(validateDomainName('external', host, settings) ?? 'fine').toContain(why ?? 'fine');
});
