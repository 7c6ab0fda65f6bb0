import { describe, expect, it } from 'vitest';
import {
  choosePrimaryEmail,
  membershipViolation,
  toGithubApiUrl,
  toTeamGroups,
} from '../../../src/rules/access/github-identity.ts';

describe('choosePrimaryEmail', () => {
  it('takes the primary address only, verified or not', () => {
    const other = { email: 'other@example.com', primary: false, verified: true };
    const primary = { email: 'ada@example.com', primary: true, verified: false };
    expect(choosePrimaryEmail([other, primary])).toEqual({ email: 'ada@example.com', emailVerified: false });
    expect(choosePrimaryEmail([other])).toEqual({ email: undefined, emailVerified: false });
  });
});

describe('toTeamGroups', () => {
  it('names the teams of the listed organizations in lowercase, in any letter case', () => {
    const teams = [
      { organization: 'Acme', slug: 'developers' },
      { organization: 'acme-evil', slug: 'developers' },
    ];
    expect(toTeamGroups(teams, ['ACME'])).toEqual(['acme/developers']);
    expect(toTeamGroups(teams, undefined)).toEqual(['acme/developers', 'acme-evil/developers']);
  });
});

describe('membershipViolation', () => {
  it('demands one of the listed organizations', () => {
    expect(membershipViolation([], undefined)).toBeUndefined();
    expect(membershipViolation(['ACME'], ['acme', 'globex'])).toBeUndefined();
    expect(membershipViolation(['acme-evil'], ['acme', 'globex'])).toContain('acme or globex');
  });
});

describe('toGithubApiUrl', () => {
  it.each([
    ['https://github.com', 'https://api.github.com'],
    ['https://acme.ghe.com', 'https://api.acme.ghe.com'],
    ['https://git.acme-ghe.com', 'https://git.acme-ghe.com/api/v3'],
    ['http://localhost:3000', 'http://localhost:3000/api/v3'],
  ])('finds the API of %s', (web, api) => expect(toGithubApiUrl(web)).toBe(api));
});
