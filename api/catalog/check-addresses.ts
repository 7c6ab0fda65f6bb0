import type { FieldError } from '../../src/errors.ts';
import type { ProductSpec } from '../../src/rules/catalog/kinds.ts';
import { hostOf, refuseAddress } from '../../src/rules/domains/addresses.ts';
import { hostName } from '../../src/rules/domains/host-name.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import type { Store } from '../../src/store/store.ts';
import { usableDomains } from '../domains/usable-domains.ts';

type Asked = { org: string; spec: ProductSpec; before: ProductSpec | undefined; settings: DomainSettings };

/** What is wrong with the addresses of a Product's zones; one that a zone has already may stay whatever its domain has become. */
export async function addressErrors(store: Store, { org, spec, before, settings }: Asked): Promise<FieldError[]> {
  const { zones } = spec.delivery;
  if (zones.every(({ addresses = [] }) => addresses.length === 0)) return [];
  const usable = new Set((await usableDomains(store, org, settings)).map(({ name }) => name));
  const kept = new Set((before?.delivery.zones ?? []).flatMap(({ addresses = [] }) => addresses.map(hostOf)));
  const own = new Set(zones.map(({ name }) => `${name}.${settings.platformDomain}`));
  const seen = new Set<string>();
  return zones.flatMap(({ addresses = [] }, zone) =>
    addresses.flatMap((address, index) => {
      const at = `/spec/delivery/zones/${zone}/addresses/${index}`;
      const host = hostOf(address);
      const isTwice = seen.has(host);
      seen.add(host);
      const refused = refuseAddress(address, settings.platformDomain);
      if (refused) return [{ pointer: `${at}/${refused.field}`, detail: refused.detail }];
      if (isTwice) return [{ pointer: at, detail: `${host} is there twice` }];
      if (own.has(host)) return [{ pointer: `${at}/name`, detail: `${host} is the zone’s own address already` }];
      if (kept.has(host) || usable.has(address.domain)) return [];
      return [{ pointer: `${at}/domain`, detail: whyUnusable(address.domain) }];
    }),
  );
}

function whyUnusable(domain: string): string {
  const name = hostName(domain);
  return name !== undefined && name !== domain
    ? `must be written as "${name}"`
    : 'is no verified domain that the org can use: claim it, and wait until it is verified';
}
