import { ignoreNotFound, isServiceError, ServiceError, type FieldError } from '../errors.ts';
import { ConfigMapKind, type ConfigMap } from '../kinds/kubernetes.ts';
import { addressReservationLabels, addressReservationName } from '../rules/domains/address-reservations.ts';
import { toHostName } from '../rules/domains/addresses.ts';
import { isReconciled } from '../rules/conditions.ts';
import { ProductKind, type ProductSpec } from '../rules/products/kinds.ts';
import { productReservationName, zoneReservationName } from '../rules/products/reservations.ts';
import { orgNamespace, systemNamespace } from '../rules/resource.ts';
import { deleteAddressReservations } from '../store/address-reservations.ts';
import { readDomainSettings } from '../store/installation.ts';
import { listOrgDomains, type OrgDomain } from '../store/org-domains.ts';
import type { Store } from '../store/store.ts';
import { assertNamespacesFree } from './assert-namespaces-free.ts';
import type { ReconcileDeps } from './deps.ts';
import { listUsableDomains } from './list-usable-domains.ts';

/** Far longer than creating a Product takes, so an older reservation without its Product belongs to a failed request. */
const abandonedAfterMs = 10 * 60_000;

type Deps = Pick<ReconcileDeps, 'store' | 'config' | 'now'>;
type ReservationHolder = { org: string; product: string };
type NewReservation = { name: string };
type Reservation = {
  name: string;
  description: string;
  /** Stored in addition to the holder. */
  data?: Record<string, string>;
  labels?: Record<string, string>;
  pointer?: string;
};

/**
 * Reserves the names of a Product, its zones and their addresses in the whole installation; throws 409 when one is taken.
 * Returns the reservations that are new.
 */
export async function reserveProductNames(
  deps: Deps,
  holder: ReservationHolder,
  spec: ProductSpec,
): Promise<NewReservation[]> {
  const { product } = holder;
  const own = { name: productReservationName(product), description: `Product name "${product}"` };
  const isNew = await reserve(deps, holder, own);
  return [...(isNew ? [own] : []), ...(await reserveNames(deps, holder, spec))];
}

/**
 * Reserves the names of zones and their addresses; throws 409 when one is taken, or is a namespace of another owner.
 * Returns the reservations that are new.
 */
export async function reserveNames(
  deps: Deps,
  holder: ReservationHolder,
  spec: ProductSpec,
): Promise<NewReservation[]> {
  await assertNamespacesFree(deps.store, holder, spec);
  const zones: Reservation[] = [];
  for (const reservation of zoneReservations(spec))
    if (await reserve(deps, holder, reservation)) zones.push(reservation);
  const created: AddressReservation[] = [];
  const settings = await readDomainSettings(deps.store, deps.config.domains);
  const domains = await listOrgDomains(deps.store, holder.org, settings);
  for (const reservation of addressReservations(spec, { domains, ...settings }))
    if (await reserve(deps, holder, reservation)) created.push(reservation);
  if (created.length === 0) return zones;
  // The removal of a domain first prevents new reservations and then lists the existing ones. Reading the domains again
  // after reserving ensures that either the removal or this request notices the other.
  const usableDomains = await listUsableDomains(deps.store, holder.org, settings);
  const unusable = created.find(({ domain }) => !usableDomains.some(({ name }) => name === domain));
  if (!unusable) return [...zones, ...created];
  await deleteReservations(deps.store, created);
  throw new ServiceError(
    'domain-unusable',
    `The domain "${unusable.domain}" can no longer be used. List the domains again.`,
  );
}

/** Throws what `reserveNames` would throw for a name that is taken, without reserving any. */
export async function assertNamesFree(deps: Deps, holder: ReservationHolder, spec: ProductSpec): Promise<void> {
  await assertNamespacesFree(deps.store, holder, spec);
  const settings = await readDomainSettings(deps.store, deps.config.domains);
  const domains = await listOrgDomains(deps.store, holder.org, settings);
  const addresses = addressReservations(spec, { domains, ...settings });
  for (const reservation of [...zoneReservations(spec), ...addresses]) {
    const existing = await deps.store.find(ConfigMapKind, { namespace: systemNamespace, name: reservation.name });
    if (existing && !isHeldBy(existing, holder) && !(await isAbandoned(deps.store, existing, deps.now())))
      throw nameTaken(reservation);
  }
}

type SpecChange = { before: ProductSpec; after: ProductSpec };

/** Deletes the reservations of the names that the previous spec has and the new spec does not. */
export async function releaseNames(
  { store }: Pick<Deps, 'store'>,
  holder: ReservationHolder,
  { before, after }: SpecChange,
): Promise<void> {
  const used = new Set(listZoneReservations(after));
  const usedHosts = listHosts(after);
  const unused = listZoneReservations(before).filter((name) => !used.has(name));
  await deleteReservations(
    store,
    unused.map((name) => ({ name })),
  );
  const addresses = listAddresses(before).filter((address) => !usedHosts.has(toHostName(address)));
  await deleteAddressReservations(store, { holder, addresses, except: used });
}

/**
 * Deletes the reservations that an outdated spec made after the current one was accepted. Those of a spec that is still
 * to be accepted stay until then.
 */
export async function releaseOutdatedNames(
  { store }: Pick<Deps, 'store'>,
  { org, product }: ReservationHolder,
  reservations: readonly NewReservation[],
): Promise<void> {
  const current = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  if (!current) return await deleteReservations(store, reservations);
  if (!isReconciled(current)) return;
  await releaseUnusedNames({ store }, { org, product }, current.spec, new Set(reservations.map(({ name }) => name)));
}

/** Deletes every reservation of a Product, or those of the given names, that its spec does not use. */
export async function releaseUnusedNames(
  { store }: Pick<Deps, 'store'>,
  { org, product }: ReservationHolder,
  spec: ProductSpec,
  names?: ReadonlySet<string>,
): Promise<void> {
  const used = new Set([productReservationName(product), ...listZoneReservations(spec)]);
  const usedHosts = listHosts(spec);
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const unused = items.filter(
    (reservation) =>
      isHeldBy(reservation, { org, product }) &&
      (names === undefined || names.has(reservation.metadata.name)) &&
      !used.has(reservation.metadata.name) &&
      !usedHosts.has(reservation.data?.['host'] ?? ''),
  );
  await deleteReservations(
    store,
    unused.map(({ metadata }) => ({ name: metadata.name })),
  );
}

const listZoneReservations = ({ delivery }: ProductSpec): string[] =>
  delivery.zones.map(({ name }) => zoneReservationName(name));
const listAddresses = ({ delivery }: ProductSpec) => delivery.zones.flatMap(({ addresses = [] }) => addresses);
const listHosts = (spec: ProductSpec): Set<string> => new Set(listAddresses(spec).map(toHostName));

const zoneReservations = ({ delivery }: ProductSpec): Reservation[] =>
  delivery.zones.map(({ name }, index) => ({
    name: zoneReservationName(name),
    description: `zone name "${name}"`,
    pointer: `/spec/delivery/zones/${index}/name`,
  }));

type AddressContext = { domains: readonly OrgDomain[]; platformDomain: string | undefined };
type AddressReservation = Reservation & { domain: string };

function addressReservations(
  { delivery }: ProductSpec,
  { domains, platformDomain }: AddressContext,
): AddressReservation[] {
  return delivery.zones.flatMap(({ name: zone, addresses = [] }, zoneIndex) =>
    addresses.map((address, index) => {
      const host = toHostName(address);
      const { domain } = address;
      const candidates = domains.filter(({ name }) => name === domain);
      const domainOwner = (candidates.find(({ isVerified }) => isVerified) ?? candidates[0])?.owner;
      return {
        domain,
        name: addressReservationName({ host, domainOwner }, platformDomain),
        description: `address "${host}"`,
        data: { host, zone, domain, domainOrg: domainOwner ?? '' },
        labels: addressReservationLabels(domain),
        pointer: `/spec/delivery/zones/${zoneIndex}/addresses/${index}`,
      };
    }),
  );
}

async function deleteReservations(store: Store, reservations: readonly { name: string }[]): Promise<void> {
  for (const { name } of reservations)
    await store.delete(ConfigMapKind, { namespace: systemNamespace, name }).catch(ignoreNotFound);
}

/** Returns true when the reservation is new, and false when the holder already had it. */
async function reserve(
  { store, now }: Deps,
  holder: ReservationHolder,
  { name, labels, ...reservation }: Reservation,
): Promise<boolean> {
  const metadata = { namespace: systemNamespace, name, ...(labels && { labels }) };
  const data = { ...reservation.data, ...holder, reservedAt: now().toISOString() };
  try {
    await store.create(ConfigMapKind, { metadata, data });
    return true;
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    const existing = await store.get(ConfigMapKind, metadata);
    if (isHeldBy(existing, holder)) {
      await updateReservedZone(store, existing, reservation.data);
      return false;
    }
    if (!(await isAbandoned(store, existing, now()))) throw nameTaken(reservation);
    await store.replace(ConfigMapKind, { ...existing, metadata: { ...existing.metadata, ...metadata }, data });
    return true;
  }
}

/** Records the new zone of an address that moved between zones of its Product. */
async function updateReservedZone(store: Store, existing: ConfigMap, data: Reservation['data']): Promise<void> {
  if (!data || existing.data?.['zone'] === data['zone']) return;
  await store.replace(ConfigMapKind, { ...existing, data: { ...existing.data, zone: data['zone'] ?? '' } });
}

const isHeldBy = ({ data }: ConfigMap, { org, product }: ReservationHolder): boolean =>
  data?.['org'] === org && data['product'] === product;

async function isAbandoned(store: Store, { data }: ConfigMap, now: Date): Promise<boolean> {
  const reservedAt = Date.parse(data?.['reservedAt'] ?? '');
  if (now.getTime() - reservedAt < abandonedAfterMs) return false;
  const holder = { namespace: orgNamespace(data?.['org'] ?? ''), name: data?.['product'] ?? '' };
  return (await store.find(ProductKind, holder)) === undefined;
}

/** The message does not name the holder, because orgs must not learn about each other. */
function nameTaken({ description, pointer }: Pick<Reservation, 'description' | 'pointer'>): ServiceError {
  const errors: FieldError[] = pointer === undefined ? [] : [{ pointer, detail: 'is taken in this installation' }];
  return new ServiceError(
    'name-taken',
    `The ${description} is taken in this installation. Choose another, or ask a platform admin for its owner.`,
    { errors },
  );
}
