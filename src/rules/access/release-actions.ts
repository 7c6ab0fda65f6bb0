import type { Release } from '../releases/kinds.ts';
import { actionsFor, type Action, type ActionRule } from './actions.ts';
import type { OrgRole } from './roles.ts';

const finishedPhases: readonly string[] = ['Succeeded', 'Failed', 'Superseded', 'Cancelled'];

export const isReleaseFinished = (release: Release): boolean =>
  finishedPhases.includes(release.status?.phase ?? 'Building');

/** Lists the operations on a Release; only zones that wait for approval can be approved or rejected. */
export function releaseActions(release: Release, role: OrgRole | undefined): Action[] {
  const waiting = (release.status?.zones ?? []).filter((zone) => zone.phase === 'WaitingForApproval');
  const decisions = waiting.flatMap(({ name: zone }): ActionRule[] => [
    { name: 'approvePromotion', requiredRole: 'member', zone },
    { name: 'rejectPromotion', requiredRole: 'member', zone },
  ]);
  const blockedBy = isReleaseFinished(release) ? `The Release is already ${release.status?.phase}.` : undefined;
  return actionsFor(role, [...decisions, { name: 'cancelRelease', requiredRole: 'member', blockedBy }]);
}
