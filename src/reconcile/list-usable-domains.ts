import type { DomainSettings } from '../rules/domains/kinds.ts';
import { listOrgDomains, type OrgDomain } from '../store/org-domains.ts';
import type { Store } from '../store/store.ts';

export type UsableDomain = Pick<OrgDomain, 'name' | 'owner'>;

/** Lists the domains under which the zones of an org may get new addresses. */
export async function listUsableDomains(store: Store, org: string, settings: DomainSettings): Promise<UsableDomain[]> {
  const domains = await listOrgDomains(store, org, settings);
  return domains.filter(({ isVerified, isLeaving }) => isVerified && !isLeaving);
}
