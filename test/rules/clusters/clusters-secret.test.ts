import { expect, it } from 'vitest';
import { toSecretData } from '../../../src/kinds/kubernetes.ts';
import {
  accessFingerprint,
  readClusterAccess,
  withClusterAccess,
} from '../../../src/rules/clusters/clusters-secret.ts';

const access = { server: 'https://k8s.example.com', token: 'secret' };

it('keeps the access to each cluster in an entry of its own', () => {
  const one = withClusterAccess(undefined, 'one', access);
  const both = withClusterAccess({ data: one }, 'two', { ...access, token: 'other' });
  expect(readClusterAccess({ data: both }, 'one')).toEqual(access);
  expect(readClusterAccess({ data: withClusterAccess({ data: both }, 'one', undefined) }, 'one')).toBeUndefined();
  expect(Object.keys(withClusterAccess({ data: both }, 'one', undefined))).toEqual(['two']);
});

it('reads no access from an entry that is written wrongly, and from the names of object properties', () => {
  const data = toSecretData({ text: 'no JSON', program: JSON.stringify({ ...access, exec: { command: 'sh' } }) });
  for (const name of ['text', 'program', 'missing', 'constructor', '__proto__'])
    expect(readClusterAccess({ data }, name), name).toBeUndefined();
});

it('names credentials by a fingerprint that shows nothing of them', () => {
  expect(accessFingerprint(access)).toMatch(/^[0-9a-f]{16}$/);
  expect(accessFingerprint({ ...access, token: 'other' })).not.toBe(accessFingerprint(access));
});
