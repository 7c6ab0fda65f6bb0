import { expect, it } from 'vitest';
import { toSecretData } from '../../../src/kinds/kubernetes.ts';
import { readIdentityKeys, toIdentityKeysData } from '../../../src/rules/cloud-accounts/identity-keys-secret.ts';

const key = { id: 'a-B_c', privateKey: '-----BEGIN PRIVATE KEY-----', createdAt: '2026-11-25T09:00:00.000Z' };

it('reads what it writes', () => {
  expect(readIdentityKeys({ data: toIdentityKeysData([key]) })).toEqual([key]);
  expect(readIdentityKeys(undefined)).toEqual([]);
});

it.each([
  ['no time', { 'a-B_c.private-key': key.privateKey }],
  ['no valid time', { 'a-B_c.private-key': key.privateKey, 'a-B_c.created-at': 'soon' }],
  ['no key', { 'a-B_c.private-key': 'x', 'a-B_c.created-at': key.createdAt }],
])('leaves out a key with %s', (_, texts) => {
  expect(readIdentityKeys({ data: toSecretData(texts) })).toEqual([]);
});
