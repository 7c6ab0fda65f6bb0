import { DomainKind, type Domain, type DomainSettings } from '../rules/domains/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

export type OrgDomain = {
  name: string;
  /** The org that claims the domain; undefined for the platform domain. */
  owner: string | undefined;
  isVerified: boolean;
  /** True while the domain is being removed: no zone can start to use it then. */
  isLeaving: boolean;
};

/** Lists the domains that an org can give addresses under: its own, the shared ones and the platform's. */
export async function listOrgDomains(
  store: Store,
  org: string,
  { platformOrg, platformDomain }: Pick<DomainSettings, 'platformOrg' | 'platformDomain'>,
): Promise<OrgDomain[]> {
  const own = await store.list(DomainKind, { namespace: orgNamespace(org) });
  const shared =
    platformOrg === undefined || platformOrg === org
      ? []
      : (await store.list(DomainKind, { namespace: orgNamespace(platformOrg) })).items.filter(
          ({ spec }) => spec.shared,
        );
  const platform = { name: platformDomain ?? '', owner: undefined, isVerified: true, isLeaving: false };
  return [
    ...(platformDomain === undefined ? [] : [platform]),
    ...own.items.map((domain) => toOrgDomain(domain, org)),
    ...shared.map((domain) => toOrgDomain(domain, platformOrg)),
  ];
}

const toOrgDomain = ({ metadata, status }: Domain, owner: string | undefined): OrgDomain => ({
  name: metadata.name,
  owner,
  isVerified: status?.state === 'Verified',
  isLeaving: status?.removalMessage !== undefined,
});
