import { sessionTtlMs } from './session-lifetime.ts';
import type { UserIdentity } from './kinds.ts';

/** A group that a person lost at the provider gives no role after this time. */
const checkIntervalMs = 5 * 60_000;
/** A provider that does not answer is not asked at every request. */
const retryIntervalMs = 60_000;
/** While the provider cannot be asked, a person keeps the groups for as long as a session lasts. */
const groupsTtlMs = sessionTtlMs;

/** Returns true when the service has to ask the provider for the groups again. */
export function isCheckDue({ renewable, checkedAt, attemptedAt }: UserIdentity, now: Date): boolean {
  if (!renewable || now.getTime() - Date.parse(checkedAt) < checkIntervalMs) return false;
  return attemptedAt === undefined || now.getTime() - Date.parse(attemptedAt) >= retryIntervalMs;
}

/** Returns true when the groups are too old to give a role. */
export const areGroupsExpired = ({ checkedAt }: UserIdentity, now: Date): boolean =>
  now.getTime() - Date.parse(checkedAt) >= groupsTtlMs;
