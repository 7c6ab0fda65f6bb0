import type { User } from '../../src/rules/access/kinds.ts';
import type { ApiDeps } from '../deps.ts';

/** Tells whether a user can sign in with a password. Platform admins always can, to repair an identity provider. */
export const isPasswordAccepted = (
  { passwordSignIn }: Pick<ApiDeps['config'], 'passwordSignIn'>,
  user: User,
): boolean => passwordSignIn === 'everyone' || user.spec.platformAdmin;
