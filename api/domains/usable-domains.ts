import { type Domain, DomainKind, type DomainSettings } from '../../src/rules/domains/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

export type UsableDomain = { name: string; org: string | undefined };

const isReady = ({ status }: Domain): boolean => status?.state === 'Verified' && status.removal === undefined;

/** The domains under which zones of an org may have addresses. */
export async function usableDomains(
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
  const named = (domains: Domain[], of: string | undefined) =>
    domains.filter(isReady).map(({ metadata }) => ({ name: metadata.name, org: of }));
  return [
    ...(platformDomain === undefined ? [] : [{ name: platformDomain, org: undefined }]),
    ...named(own.items, org),
    ...named(shared, platformOrg),
  ];
}
