import { describe, expect, it } from 'vitest';
import {
  type InstallationFacts,
  installationViolations,
  listOrphanedDomains,
  normalizeInstallation,
} from '../../../src/rules/installation/installation-violations.ts';
import type { InstallationSpec } from '../../../src/rules/installation/kinds.ts';

const current: InstallationSpec = {
  platformDomain: 'localhost',
  managedDomainRoots: ['domains.localhost'],
  signIn: { password: 'everyone' },
};
const facts: InstallationFacts = {
  current,
  serviceHosts: ['delivery.example.com', 'ingress.example.com'],
  domains: [
    { host: 'shop.example.org', kind: 'external', org: 'acme' },
    { host: 'acme.domains.localhost', kind: 'managed', org: 'acme' },
  ],
  zoneHosts: ['sites.localhost'],
  hasAdminWithPassword: true,
};
const judge = (change: Partial<InstallationSpec>, more: Partial<InstallationFacts> = {}) =>
  installationViolations({ ...current, ...change }, { ...facts, ...more }).map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

it('accepts values of the environment that stay, such as a single label, and new ones', () => {
  expect(judge({})).toEqual([]);
  expect(judge({ platformDomain: 'apps.example.net', managedDomainRoots: ['sites.example.net'] })).toEqual([]);
});

describe('the platform domain', () => {
  it.each([
    ['not a host', '/platformDomain must be a domain name'],
    ['*.example.com', '/platformDomain must be a domain name'],
    ['192.0.2.1', '/platformDomain must be a domain name'],
    ['delivery.example.com', '/platformDomain is a host of the service itself'],
    ['co.uk', '/platformDomain is a public suffix'],
    ['shop.example.org', '/platformDomain overlaps with the domain shop.example.org of the org "acme"'],
    ['example.org', '/platformDomain overlaps with the domain shop.example.org of the org "acme"'],
    ['a.shop.example.org', '/platformDomain overlaps with the domain shop.example.org of the org "acme"'],
    ['x.acme.domains.localhost', '/platformDomain overlaps with the domain acme.domains.localhost'],
  ])('cannot be %s', (platformDomain, violation) => {
    expect(judge({ platformDomain })).toEqual([expect.stringContaining(violation)]);
  });

  it('cannot be left out once there is one', () => {
    const { platformDomain: _, ...without } = current;
    expect(installationViolations(without, facts)).toMatchObject([
      { pointer: '/platformDomain', detail: expect.stringContaining('Send "localhost" to keep it') as string },
    ]);
  });
});

describe('the roots', () => {
  it.each([
    [['a.example.net', 'a.example.net'], '/managedDomainRoots/1 is a duplicate'],
    [['localhost'], '/managedDomainRoots/0 is the platform domain'],
    [['ingress.example.com'], '/managedDomainRoots/0 is a host of the service itself'],
    [['example.org'], '/managedDomainRoots/0 overlaps with the domain shop.example.org'],
    [['example.net', 'a.example.net'], '/managedDomainRoots/1 overlaps with the root example.net'],
    [['sites.localhost'], '/managedDomainRoots/0 has the address sites.localhost of a zone under it'],
    [['com'], '/managedDomainRoots/0 must be a domain name'],
  ])('cannot be %s', (managedDomainRoots, violation) => {
    expect(judge({ managedDomainRoots })).toEqual([expect.stringContaining(violation)]);
  });
});

it('refuses to switch passwords off when no platform admin has one, and names the fix', () => {
  const signIn = { password: 'platform-admins' as const };
  expect(judge({ signIn })).toEqual([]);
  expect(judge({ signIn }, { hasAdminWithPassword: false })).toEqual([
    expect.stringMatching(/lock every platform admin out.*resetPassword/),
  ]);
  expect(judge({}, { hasAdminWithPassword: false })).toEqual([]);
});

it('lists the domains that would lose their root', () => {
  expect(listOrphanedDomains(current, facts)).toEqual([]);
  expect(listOrphanedDomains({ ...current, managedDomainRoots: [] }, facts)).toEqual([facts.domains[1]]);
});

it('writes hosts in lower case and ASCII', () => {
  const spec = { ...current, platformDomain: 'Bücher.Example.', managedDomainRoots: ['SITES.example.com'] };
  expect(normalizeInstallation(spec)).toMatchObject({
    platformDomain: 'xn--bcher-kva.example',
    managedDomainRoots: ['sites.example.com'],
  });
});
