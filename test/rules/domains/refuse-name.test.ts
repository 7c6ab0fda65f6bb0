import { expect, it } from 'vitest';
import { familyOf, refuseName } from '../../../src/rules/domains/refuse-name.ts';

const settings = {
  platformDomain: 'apps.example.net',
  managedRoots: ['one.example.org', 'two.example.org'],
  ingress: { host: undefined, addresses: [] },
  certificateAuthorities: [],
  platformOrg: undefined,
};

it.each([
  ['acme.one.example.org', undefined],
  ['acme.two.example.org', undefined],
  ['www.one.example.org', 'reserved'],
  ['api.one.example.org', 'reserved'],
  ['staging.two.example.org', 'reserved'],
  ['xn--80ak6aa92e.one.example.org', 'reserved'],
  ['a.b.one.example.org', 'one label'],
  ['one.example.org', 'subdomain of'],
  ['acme.example.com', 'subdomain of one.example.org or two.example.org'],
])('managed %s: %s', (host, why) => {
  expect(refuseName('managed', host, settings) ?? 'fine').toContain(why ?? 'fine');
});

it('offers no managed names where no roots are set up', () => {
  expect(refuseName('managed', 'a.example.org', { ...settings, managedRoots: [] })).toContain('not set up');
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
])('external %s: %s', (host, why) => {
  expect(refuseName('external', host, settings) ?? 'fine').toContain(why ?? 'fine');
});

it('has the same family for all names that could overlap', () => {
  expect(familyOf('a.b.example.co.uk', settings)).toBe('example.co.uk');
  expect(familyOf('example.co.uk', settings)).toBe('example.co.uk');
  expect(familyOf('foo.github.io', settings)).toBe('github.io');
  expect(familyOf('acme.one.example.org', settings)).toBe('acme.one.example.org');
});
