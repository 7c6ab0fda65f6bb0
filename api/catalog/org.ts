import { ServiceError } from '../../src/errors.ts';
import { ownApprovalRefusal } from '../../src/rules/access/own-approval.ts';
import { OrganizationKind, type Organization } from '../../src/rules/catalog/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const orgRef = (org: string) => ({ namespace: systemNamespace, name: org });

export const getOrganization = async (store: Store, org: string): Promise<Organization> =>
  store.get(OrganizationKind, orgRef(org));

/** Refuses whoever approves their own work where the org asks for two people. */
export async function refuseOwnApproval(
  store: Store,
  org: string,
  { startedBy, by }: { startedBy: string; by: string },
): Promise<void> {
  const refusal = ownApprovalRefusal(await getOrganization(store, org), startedBy, by);
  if (refusal !== undefined) throw new ServiceError('forbidden', refusal);
}
