import { OrganizationKind, type Organization } from '../../src/rules/orgs/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export const orgRef = (org: string) => ({ namespace: systemNamespace, name: org });

export const getOrganization = async (store: Store, org: string): Promise<Organization> =>
  store.get(OrganizationKind, orgRef(org));
