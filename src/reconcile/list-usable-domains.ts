import { DomainKind, type Domain, type DomainSettings } from '../rules/domains/kinds.ts';
import { orgNamespace } from '../rules/resource.ts';
import type { Store } from '../store/store.ts';

export type UsableDomain = { name: string; org: string | undefined };

const isUsable = ({ status }: Domain): boolean => status?.state === 'Verified' && status.removalMessage === undefined;

/** Lists the domains under which zones of an org may have addresses: its own, the shared ones and the platform's. */
export async function listUsableDomains(
  store: Store,
  org: string,
  { platformOrg, platformDomain }: DomainSettings,
): Promise<UsableDomain[]> {
  const own = await store.list(DomainKind, { namespace: orgNamespace(org) });
  const shared =
    platformOrg === undefined || platformOrg === org
      ? []
      : (await store.list(DomainKind, { namespace: orgNamespace(platformOrg) })).items.filter(
          ({ spec }) => spec.shared,
        );
  const selectUsable = (domains: Domain[], owner: string | undefined) =>
    domains.filter(isUsable).map(({ metadata }) => ({ name: metadata.name, org: owner }));
  return [
    ...(platformDomain === undefined ? [] : [{ name: platformDomain, org: undefined }]),
    ...selectUsable(own.items, org),
    ...selectUsable(shared, platformOrg),
  ];
}
