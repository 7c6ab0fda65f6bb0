import { expect, it } from 'vitest';
import { isPasswordAccepted } from '../../../api/auth/is-password-accepted.ts';
import type { User } from '../../../src/rules/access/kinds.ts';

it.each([
  ['everyone', false, true],
  ['everyone', true, true],
  ['platform-admins', false, false],
  ['platform-admins', true, true],
] as const)(
  'accepts the passwords of %s: a user who is a platform admin (%s): %s',
  (passwordSignIn, platformAdmin, isAccepted) => {
    const user = { spec: { email: 'jo@example.com', platformAdmin } } as User;
    expect(isPasswordAccepted({ passwordSignIn }, user)).toBe(isAccepted);
  },
);
