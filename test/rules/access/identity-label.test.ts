import { expect, it } from 'vitest';
import { identityLabel } from '../../../src/rules/access/identity-label.ts';

const toKey = (issuer: string, subject: string): string => Object.keys(identityLabel({ issuer, subject }))[0] ?? '';

it('is a label of Kubernetes, and another one for every issuer and subject', () => {
  const keys = [
    toKey('https://sso.example.com', 'ada'),
    toKey('https://sso.example.com', 'Ada'),
    toKey('https://sso.example.com/', 'ada'),
    toKey('https://sso.example.com/a', 'da'),
    toKey('https://sso.example.com', `${'x'.repeat(200)} "\\`),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^identity\.service\.delivery\/[0-9a-f]{40}$/);
});
