import { describe, expect, it } from 'vitest';
import { getProviderType, IdentityProviderSpec } from '../../../src/rules/access/identity-provider.ts';

const github = { label: 'GitHub', type: 'github', issuer: 'https://github.com', clientId: 'delivery' };
const openid = { label: 'SSO', issuer: 'https://sso.example.com/realms/one', clientId: 'delivery' };

const findPaths = (spec: object): string[] =>
  IdentityProviderSpec.safeParse(spec).error?.issues.map(({ path }) => path.join('/')) ?? [];

describe('IdentityProviderSpec', () => {
  it('has the fields of its type only', () => {
    expect(findPaths({ ...github, organizations: ['acme'] })).toEqual([]);
    expect(findPaths({ ...github, scopes: ['repo'], groupsClaim: 'teams' })).toEqual(['scopes', 'groupsClaim']);
    expect(findPaths({ ...openid, scopes: ['email'], groupsClaim: 'teams' })).toEqual([]);
    expect(findPaths({ ...openid, organizations: ['acme'] })).toEqual(['organizations']);
  });

  it.each(['https://github.com/', 'https://GitHub.com', 'https://github.com/acme', 'https://github.com:443'])(
    'does not accept %s, which is another spelling of a code host or no code host',
    (issuer) => {
      expect(findPaths({ ...github, issuer })).toEqual(['issuer']);
      expect(findPaths({ ...openid, issuer })).toEqual([]);
    },
  );

  it.each([
    'https://jo@sso.example.com',
    'https://:x@sso.example.com',
    'https://sso.example.com/?a',
    'https://sso.example.com/#a',
  ])('does not accept the issuer %s, to which no path can be added', (issuer) =>
    expect(findPaths({ ...openid, issuer })).toEqual(['issuer']),
  );

  it.each(['', '-acme', 'acme-', 'acme/developers', 'a'.repeat(40)])(
    'does not accept the organization "%s"',
    (name) => {
      expect(findPaths({ ...github, organizations: [name] })).toEqual(['organizations/0']);
    },
  );
});

describe('getProviderType', () => {
  it('is "openid" unless the provider names another', () => {
    expect([getProviderType({}), getProviderType({ type: 'github' })]).toEqual(['openid', 'github']);
  });
});
