import type { Organization } from '../orgs/kinds.ts';

/** Returns why a person may not approve what they started, when the org requires a second person. */
export function selfApprovalViolation(org: Organization, startedBy: string, approver: string): string | undefined {
  if (!org.spec.approvals?.preventSelfApproval || startedBy.toLowerCase() !== approver.toLowerCase()) return undefined;
  return 'You started this, and the org does not allow self-approval. Ask another member to approve it.';
}
