import type { DomainSettings } from '../rules/domains/kinds.ts';
import type { ZoneSettings } from '../rules/environments/settings.ts';
import { toZoneSettings } from '../rules/environments/zone-values.ts';
import type { ZoneSpec } from '../rules/products/kinds.ts';
import { listOrgDomains } from './org-domains.ts';
import type { Store } from './store.ts';

export type ZoneSettingsInput = {
  org: string;
  zone: ZoneSpec;
  /** The address that the service assigns to the zone. */
  address: string;
  domains: DomainSettings;
};

/** Returns the settings that the values file of a zone should have now, which depend on the states of domains too. */
export async function getDesiredSettings(
  store: Store,
  { org, zone, address, domains }: ZoneSettingsInput,
): Promise<ZoneSettings> {
  const known = zone.addresses?.length ? await listOrgDomains(store, org, domains) : [];
  const verifiedDomains = new Set(known.filter(({ isVerified }) => isVerified).map(({ name }) => name));
  return toZoneSettings(zone, { address, verifiedDomains });
}
