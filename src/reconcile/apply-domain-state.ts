import { ProductKind } from '../rules/products/kinds.ts';
import { orgNamespace, toOrgName } from '../rules/resource.ts';
import { applyChangedSettings } from './apply-changed-settings.ts';
import type { SettingsDeps } from './apply-changed-settings.ts';

/** Signals the zones whose addresses appear or disappear with the current state of a domain. */
export async function applyDomainState(
  deps: SettingsDeps,
  { org, domain }: { org: string; domain: string },
): Promise<void> {
  // Zones of every org may have addresses under a shared domain.
  const scope = org === deps.config.domains.platformOrg ? {} : { namespace: orgNamespace(org) };
  const { items } = await deps.store.list(ProductKind, scope);
  for (const product of items)
    if (product.spec.delivery.zones.some(({ addresses }) => addresses?.some((address) => address.domain === domain)))
      await applyChangedSettings(deps, { org: toOrgName(product.metadata.namespace), product });
}
