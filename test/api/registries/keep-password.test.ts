import { expect, it } from 'vitest';
import { keepPassword } from '../../../api/registries/keep-password.ts';
import { imagesRegistry as stored } from '../../support/registries/images-registry.ts';

const requested = { host: 'registry.test:443', username: 'grace' };

it('keeps the stored password for the same host, and prefers a new one', () => {
  expect(keepPassword(requested, stored)).toEqual({ ...requested, password: 'correct-horse' });
  expect(keepPassword({ ...requested, password: 'new' }, stored)).toEqual({ ...requested, password: 'new' });
});

it.each([
  ['another host', { ...requested, host: 'elsewhere.test' }, stored],
  ['a registry without a stored one', requested, undefined],
])('demands a password for %s', (_, settings, current) => {
  expect(() => keepPassword(settings, current, '/push/password')).toThrow(
    expect.objectContaining({ errors: [{ pointer: '/push/password', detail: 'is missing' }] }),
  );
});
