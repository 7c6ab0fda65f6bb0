import type { Organization } from '../catalog/kinds.ts';

/** Why somebody may not approve what they started themselves, where their org asks for two people. */
export function ownApprovalRefusal(org: Organization, startedBy: string, approver: string): string | undefined {
  if (!org.spec.approvals?.notByStarter || startedBy.toLowerCase() !== approver.toLowerCase()) return undefined;
  return 'You started this, and the org asks that somebody else approves. Ask another member.';
}
