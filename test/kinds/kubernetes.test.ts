import { describe, expect, it } from 'vitest';
import { readSecretText, toBasicAuthorization, toSecretData } from '../../src/kinds/kubernetes.ts';

describe('readSecretText', () => {
  it('returns the text that was put into the Secret', () => {
    const secret = { data: toSecretData({ token: 'tölkén', empty: '' }) };
    expect(readSecretText(secret, 'token')).toBe('tölkén');
    expect(readSecretText(secret, 'empty')).toBe('');
  });

  it.each([undefined, {}, { data: {} }])('returns undefined for %j, which has no such entry', (secret) => {
    expect(readSecretText(secret, 'token')).toBeUndefined();
  });
});

it('authorizes as the user of a Secret, with the password', () => {
  expect(toBasicAuthorization({ data: toSecretData({ username: 'Aladdin', password: 'open sesame' }) })).toBe(
    'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
  );
});
