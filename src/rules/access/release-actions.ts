import type { Release } from '../releases/kinds.ts';
import { actionsFor, type Action, type Possibility } from './actions.ts';
import type { OrgRole } from './roles.ts';

const over: readonly string[] = ['Succeeded', 'Failed', 'Superseded', 'Cancelled'];

export const isReleaseOver = (release: Release): boolean => over.includes(release.status?.phase ?? 'Building');

/** What can be done with a Release now: only the zones that wait for somebody are named. */
export function releaseActions(release: Release, role: OrgRole | undefined): Action[] {
  const waiting = (release.status?.zones ?? []).filter((zone) => zone.phase === 'WaitingForApproval');
  const decisions = waiting.flatMap(({ name: zone }): Possibility[] => [
    { name: 'approvePromotion', needs: 'member', zone },
    { name: 'rejectPromotion', needs: 'member', zone },
  ]);
  const hindrance = isReleaseOver(release) ? `The Release is already ${release.status?.phase}.` : undefined;
  return actionsFor(role, [...decisions, { name: 'cancelRelease', needs: 'member', hindrance }]);
}
