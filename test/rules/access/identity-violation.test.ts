import { expect, it } from 'vitest';
import { identityViolation } from '../../../src/rules/access/identity-violation.ts';

const provider = { label: 'SSO', emailDomains: ['example.com'] };
const ada = { email: 'Ada@Example.com', emailVerified: true };

it.each([
  ['of an allowed domain, in any case', provider, ada],
  ['of any domain without a list', { label: 'SSO' }, { ...ada, email: 'ada@other.example' }],
  ['of any domain with an empty list', { label: 'SSO', emailDomains: [] }, ada],
])('allows an address %s', (_, spec, identity) => {
  expect(identityViolation(spec, identity)).toBeUndefined();
});

it.each([
  ['no address', { ...ada, email: undefined }, 'did not share your e-mail address'],
  ['an invalid address', { ...ada, email: 'ada' }, 'invalid e-mail address'],
  ['an address that is not verified', { ...ada, emailVerified: false }, 'not verified'],
  ['another domain', { ...ada, email: 'ada@notexample.com' }, '"notexample.com" may not sign in'],
  ['a domain below an allowed one', { ...ada, email: 'ada@a.example.com' }, 'may not sign in'],
])('refuses %s', (_, identity, violation) => {
  expect(identityViolation(provider, identity)).toContain(violation);
});
