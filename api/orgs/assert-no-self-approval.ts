import { ServiceError } from '../../src/errors.ts';
import type { Contributors } from '../../src/rules/access/contributors.ts';
import { selfApprovalViolation } from '../../src/rules/access/self-approval-violation.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrganization } from './org.ts';

/** Throws when a user approves what may be their own work and the org requires a second person. */
export async function assertNoSelfApproval(
  store: Store,
  org: string,
  { contributors, by }: { contributors: Contributors; by: string },
): Promise<void> {
  const violation = selfApprovalViolation(await getOrganization(store, org), contributors, by);
  if (violation !== undefined) throw new ServiceError('self-approval', violation);
}
