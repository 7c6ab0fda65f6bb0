import type { ZoneStatus } from '../catalog/kinds.ts';
import type { Possibility } from './actions.ts';

/** What can be done with a zone now. */
export function zoneActions({ name: zone, arriving, freeze, removal }: ZoneStatus): Possibility[] {
  const hindrance = removal ? `The zone "${zone}" is being removed.` : undefined;
  const isAsking = arriving?.phase === 'WaitingForApproval';
  const decisions = isAsking ? (['approvePromotion', 'rejectPromotion'] as const) : [];
  const names = [...decisions, 'promoteToZone', freeze ? 'unfreezeZone' : 'freezeZone'] as const;
  return [
    ...names.map((name): Possibility => ({ name, needs: 'member', zone, hindrance })),
    { name: 'removeZone', needs: 'org-admin', zone },
  ];
}
