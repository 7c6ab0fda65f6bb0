import type { ZoneStatus } from '../products/kinds.ts';
import type { ActionRule } from './actions.ts';

/** Lists the operations on a zone and the roles they require. */
export function zoneActionRules(
  { name: zone, currentPromotion, freeze, removal }: ZoneStatus,
  selfApproval?: string,
): ActionRule[] {
  const blockedBy = removal ? `The zone "${zone}" is being removed.` : undefined;
  const isWaiting = currentPromotion?.phase === 'WaitingForApproval';
  const decisions = isWaiting ? (['approvePromotion', 'rejectPromotion'] as const) : [];
  const names = [...decisions, 'promoteToZone', freeze ? 'unfreezeZone' : 'freezeZone'] as const;
  return [
    ...names.map((name): ActionRule => {
      const rule: ActionRule = { name, requiredRole: 'member', zone, blockedBy };
      return name === 'approvePromotion' ? { ...rule, selfApproval } : rule;
    }),
    { name: 'removeZone', requiredRole: 'org-admin', zone },
  ];
}
