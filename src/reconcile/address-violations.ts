import type { FieldError } from '../errors.ts';
import { addressViolation, toHostName } from '../rules/domains/addresses.ts';
import { parseHostName } from '../rules/domains/host-name.ts';
import type { DomainSettings } from '../rules/domains/kinds.ts';
import type { ProductSpec } from '../rules/products/kinds.ts';
import type { Store } from '../store/store.ts';
import { listUsableDomains } from './list-usable-domains.ts';

type AddressCheck = { org: string; spec: ProductSpec; before: ProductSpec | undefined; settings: DomainSettings };

/** Returns the errors in the addresses of a Product's zones. An address that a zone already has stays valid when its domain is no longer usable. */
export async function addressViolations(
  store: Store,
  { org, spec, before, settings }: AddressCheck,
): Promise<FieldError[]> {
  const { zones } = spec.delivery;
  if (zones.every(({ addresses = [] }) => addresses.length === 0)) return [];
  const usable = await listUsableDomains(store, org, settings);
  const owners = new Map(usable.map(({ name, owner }) => [name, owner]));
  const previousHosts = new Set(
    (before?.delivery.zones ?? []).flatMap(({ addresses = [] }) => addresses.map(toHostName)),
  );
  const defaultHosts = new Set(zones.map(({ name }) => `${name}.${settings.platformDomain}`));
  const seenHosts = new Set<string>();
  return zones.flatMap(({ addresses = [] }, zone) =>
    addresses.flatMap((address, index) => {
      const pointer = `/spec/delivery/zones/${zone}/addresses/${index}`;
      const host = toHostName(address);
      const isDuplicate = seenHosts.has(host);
      seenHosts.add(host);
      const isShared = owners.has(address.domain) && owners.get(address.domain) !== org;
      const violation = addressViolation(address, { ...settings, isShared });
      if (violation) return [{ pointer: `${pointer}/${violation.field}`, detail: violation.detail }];
      if (isDuplicate) return [{ pointer, detail: `${host} is a duplicate` }];
      if (defaultHosts.has(host))
        return [{ pointer: `${pointer}/name`, detail: `${host} is the default address of the zone` }];
      if (previousHosts.has(host) || owners.has(address.domain)) return [];
      return [{ pointer: `${pointer}/domain`, detail: unusableDomainDetail(address.domain) }];
    }),
  );
}

function unusableDomainDetail(domain: string): string {
  const name = parseHostName(domain);
  return name !== undefined && name !== domain
    ? `must be written as "${name}"`
    : 'is not a verified domain that the org can use: claim it, and wait until it is verified';
}
