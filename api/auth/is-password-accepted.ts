import type { User } from '../../src/rules/access/kinds.ts';
import { readPasswordSignIn } from '../../src/store/installation.ts';
import type { ApiDeps } from '../deps.ts';

/** Tells whether a user can sign in with a password. Platform admins always can, to repair an identity provider. */
export const isPasswordAccepted = async (
  { store, config }: Pick<ApiDeps, 'store'> & { config: Pick<ApiDeps['config'], 'passwordSignIn'> },
  user: User,
): Promise<boolean> =>
  user.spec.platformAdmin || (await readPasswordSignIn(store, config.passwordSignIn)) === 'everyone';
