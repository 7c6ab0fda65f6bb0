import { invalid } from '../../errors.ts';
import { isRoleAtLeast, type OrgRole } from './roles.ts';

/** Returns the highest role of a new token, which is never above that of the token that creates it. */
export function resolveRoleMax(requested: OrgRole | undefined, parentMax: OrgRole | undefined): OrgRole | undefined {
  if (requested === undefined || parentMax === undefined || isRoleAtLeast(parentMax, requested))
    return requested ?? parentMax;
  const detail = `must not be above "${parentMax}", the highest role of the token that creates it`;
  throw invalid(`The role "${requested}" is not allowed: it ${detail}.`, [{ pointer: '/roleMax', detail }]);
}
