import { ServiceError } from '../../src/errors.ts';
import { selfApprovalViolation } from '../../src/rules/access/self-approval-violation.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrganization } from './org.ts';

/** Throws when a user approves their own work and the org requires a second person. */
export async function assertNoSelfApproval(
  store: Store,
  org: string,
  { startedBy, by }: { startedBy: string; by: string },
): Promise<void> {
  const violation = selfApprovalViolation(await getOrganization(store, org), startedBy, by);
  if (violation !== undefined) throw new ServiceError('self-approval', violation);
}
