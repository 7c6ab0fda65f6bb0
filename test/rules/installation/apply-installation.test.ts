import { expect, it } from 'vitest';
import { applyInstallation } from '../../../src/rules/installation/apply-installation.ts';
import { buildDomainSettings } from '../../support/start-api.ts';

const signIn = { password: 'everyone' as const };

it('replaces the platform domain and the roots, which are own hosts, and keeps the rest', () => {
  const first = buildDomainSettings({ ownHosts: ['delivery.example.com', 'managed.test'] });
  const spec = { platformDomain: 'apps.example.org', managedDomainRoots: ['sites.example.org'], signIn };
  expect(applyInstallation(first, spec)).toEqual({
    ...first,
    platformDomain: 'apps.example.org',
    managedBaseDomains: ['sites.example.org'],
    ownHosts: ['delivery.example.com', 'sites.example.org'],
  });
});

it('keeps the host of the ingress as an own host, also if it was a root', () => {
  const ingress = { host: 'managed.test', addresses: [] };
  const first = buildDomainSettings({ ownHosts: ['delivery.example.com', 'managed.test'], ingress });
  expect(applyInstallation(first, { managedDomainRoots: [], signIn })).toMatchObject({
    platformDomain: undefined,
    ownHosts: ['delivery.example.com', 'managed.test'],
  });
});
