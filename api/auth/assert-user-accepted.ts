import { ServiceError } from '../../src/errors.ts';
import type { User } from '../../src/rules/access/kinds.ts';
import { isRejected } from '../../src/rules/conditions.ts';

/** Throws when a change with kubectl has made the user invalid: the address in it, which gives roles, may be of another person. */
export function assertUserAccepted(user: User): void {
  if (!isRejected(user)) return;
  throw new ServiceError(
    'user-rejected',
    'Your user is not valid since it was changed with kubectl. Ask a platform admin: its condition `Accepted` names the fix.',
  );
}
