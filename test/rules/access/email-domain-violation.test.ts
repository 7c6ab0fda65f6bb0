import { expect, it } from 'vitest';
import { emailDomainViolation } from '../../../src/rules/access/email-domain-violation.ts';

const refusal = 'Addresses of "example.org" may not sign in through SSO. Use an account with an address that may.';

it.each([
  ['any domain without a list', undefined, 'ada@example.org', undefined],
  ['any domain with an empty list', [], 'ada@example.org', undefined],
  ['a listed domain, in any letter case', ['example.com', 'example.org'], 'ada@Example.ORG', undefined],
  ['another domain', ['example.com'], 'ada@example.org', refusal],
  ['a subdomain', ['org'], 'ada@example.org', refusal],
  ['the end of a domain', ['le.org'], 'ada@example.org', refusal],
])('judges %s', (_, emailDomains, email, violation) => {
  expect(emailDomainViolation({ label: 'SSO', emailDomains }, email)).toBe(violation);
});
