import type { Release } from '../releases/kinds.ts';
import { actionsFor, type Action, type ActionRule } from './actions.ts';
import type { OrgRole } from './roles.ts';

const finishedPhases: readonly string[] = ['Succeeded', 'Failed', 'Superseded', 'Cancelled'];

export const isReleaseFinished = (release: Release): boolean =>
  finishedPhases.includes(release.status?.phase ?? 'Building');

export const listZonesToApprove = ({ status }: Release): string[] =>
  (status?.zones ?? []).filter(({ phase }) => phase === 'WaitingForApproval').map(({ name }) => name);

/** Lists the operations on a Release; only zones that wait for approval can be approved or rejected. */
export function releaseActions(release: Release, role: OrgRole | undefined, selfApproval?: string): Action[] {
  const decisions = listZonesToApprove(release).flatMap((zone): ActionRule[] => [
    { name: 'approvePromotion', requiredRole: 'member', zone, selfApproval },
    { name: 'rejectPromotion', requiredRole: 'member', zone },
  ]);
  const blockedBy = isReleaseFinished(release) ? `The Release is already ${release.status?.phase}.` : undefined;
  return actionsFor(role, [...decisions, { name: 'cancelRelease', requiredRole: 'member', blockedBy }]);
}
