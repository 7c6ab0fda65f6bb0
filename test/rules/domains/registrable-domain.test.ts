import { expect, it } from 'vitest';
import { registrableDomain } from '../../../src/rules/domains/registrable-domain.ts';

const settings = { managedBaseDomains: ['one.example.org'] };

it.each([
  ['a.b.example.co.uk', 'example.co.uk'],
  ['example.co.uk', 'example.co.uk'],
  ['foo.github.io', 'github.io'],
  ['acme.one.example.org', 'acme.one.example.org'],
  ['acme.two.example.org', 'example.org'],
])('the registrable domain of %s is %s', (host, expected) => {
  expect(registrableDomain(host, settings)).toBe(expected);
});
