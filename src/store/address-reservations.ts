import { ignoreNotFound } from '../errors.ts';
import { ConfigMapKind, type ConfigMap } from '../kinds/kubernetes.ts';
import { addressReservationLabels } from '../rules/domains/address-reservations.ts';
import { toHostName, type ZoneAddress } from '../rules/domains/addresses.ts';
import { systemNamespace } from '../rules/resource.ts';
import type { Store } from './store.ts';

export async function listAddressReservations(store: Store, domain: string): Promise<ConfigMap[]> {
  const { items } = await store.list(ConfigMapKind, {
    namespace: systemNamespace,
    labels: addressReservationLabels(domain),
  });
  return items.filter(({ data }) => data?.['domain'] === domain);
}

type Removal = { holder: { org: string; product: string }; addresses: readonly ZoneAddress[]; except?: Set<string> };

/** Deletes the reservations that a Product holds for addresses; `except` are the names of reservations to keep. */
export async function deleteAddressReservations(
  store: Store,
  { holder, addresses, except = new Set() }: Removal,
): Promise<void> {
  const hosts = new Set(addresses.map(toHostName));
  for (const domain of new Set(addresses.map((address) => address.domain)))
    for (const { data, metadata } of await listAddressReservations(store, domain)) {
      const isHeld = data?.['org'] === holder.org && data['product'] === holder.product;
      if (isHeld && hosts.has(data['host'] ?? '') && !except.has(metadata.name))
        await store.delete(ConfigMapKind, metadata).catch(ignoreNotFound);
    }
}
