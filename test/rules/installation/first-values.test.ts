import { expect, it } from 'vitest';
import { listEnvironmentDifferences, toFirstSpec } from '../../../src/rules/installation/first-values.ts';
import { buildDomainSettings } from '../../support/start-api.ts';

const first = toFirstSpec({ domains: buildDomainSettings(), passwordSignIn: 'everyone' });

it('takes the first values from the environment', () => {
  expect(first).toEqual({
    platformDomain: 'apps.example.net',
    managedDomainRoots: ['managed.test'],
    signIn: { password: 'everyone' },
  });
  const without = buildDomainSettings({ platformDomain: undefined });
  expect(toFirstSpec({ domains: without, passwordSignIn: 'everyone' })).not.toHaveProperty('platformDomain');
});

it('lists the variables that no longer count, and no others', () => {
  expect(listEnvironmentDifferences(first, first)).toEqual([]);
  const spec = { managedDomainRoots: ['managed.test', 'a.test'], signIn: { password: 'platform-admins' as const } };
  expect(listEnvironmentDifferences(spec, first)).toEqual([
    { pointer: '/platformDomain', variable: 'ZONE_ADDRESS', values: ['apps.example.net'] },
    { pointer: '/managedDomainRoots', variable: 'MANAGED_BASE_DOMAINS', values: ['managed.test'] },
    { pointer: '/signIn/password', variable: 'PASSWORD_SIGN_IN', values: ['everyone'] },
  ]);
});

it('ignores the order of the roots', () => {
  const roots = { ...first, managedDomainRoots: ['b.test', 'a.test'] };
  expect(listEnvironmentDifferences(roots, { ...first, managedDomainRoots: ['a.test', 'b.test'] })).toEqual([]);
});
