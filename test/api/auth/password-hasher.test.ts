import { expect, it } from 'vitest';
import { createPasswordHasher } from '../../../api/auth/password-hasher.ts';

it('refuses more hashes at once than the process can compute, and accepts them again afterwards', async () => {
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>();
  const slow = { hash: async () => '', verify: async () => await finished.then(() => true) };
  const hasher = createPasswordHasher(slow);
  const accepted = Array.from({ length: 16 }, async () => await hasher.verify('hash', 'password'));
  await expect(hasher.verify('hash', 'password')).rejects.toMatchObject({
    reason: 'sign-in-busy',
    retryAfterMs: 1_000,
  });
  await expect(hasher.hash('password')).rejects.toMatchObject({ reason: 'sign-in-busy' });
  finish();
  expect(await Promise.all(accepted)).not.toContain(false);
  expect(await hasher.verify('hash', 'password')).toBe(true);
});
