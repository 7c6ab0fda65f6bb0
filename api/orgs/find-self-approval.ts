import type { Contributors } from '../../src/rules/access/contributors.ts';
import { selfApprovalViolation } from '../../src/rules/access/self-approval-violation.ts';
import type { Store } from '../../src/store/store.ts';
import type { Viewer } from '../auth/viewer.ts';
import { getOrganization } from './org.ts';

/** Finds why a viewer may not approve, and reads the contributors only in an org that requires a second person. */
export async function findSelfApproval(
  store: Store,
  { org, email }: Viewer,
  findContributors: () => Promise<Contributors>,
): Promise<string | undefined> {
  const organization = await getOrganization(store, org);
  if (!organization.spec.approvals?.preventSelfApproval) return undefined;
  return selfApprovalViolation(organization, await findContributors(), email);
}
