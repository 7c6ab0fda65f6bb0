import { expect, it, onTestFinished } from 'vitest';
import { isPasswordAccepted } from '../../../api/auth/is-password-accepted.ts';
import type { User } from '../../../src/rules/access/kinds.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';

it.each([
  ['everyone', false, true],
  ['everyone', true, true],
  ['platform-admins', false, false],
  ['platform-admins', true, true],
] as const)(
  'accepts the passwords of %s: a user who is a platform admin (%s): %s',
  async (passwordSignIn, platformAdmin, isAccepted) => {
    const user = { spec: { email: 'jo@example.com', platformAdmin } } as User;
    const store = openMemoryStore();
    onTestFinished(async () => await store.close());
    expect(await isPasswordAccepted({ store, config: { passwordSignIn } }, user)).toBe(isAccepted);
  },
);
