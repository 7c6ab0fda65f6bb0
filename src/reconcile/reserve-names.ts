import { ignoreNotFound, isServiceError, ServiceError, type FieldError } from '../errors.ts';
import { ConfigMapKind, type ConfigMap } from '../kinds/kubernetes.ts';
import { toHostName } from '../rules/domains/addresses.ts';
import { isReconciled } from '../rules/conditions.ts';
import { ProductKind, type ProductSpec } from '../rules/products/kinds.ts';
import { productReservationName, zoneReservationName } from '../rules/products/reservations.ts';
import { orgNamespace, systemNamespace } from '../rules/resource.ts';
import { readDomainSettings } from '../store/installation.ts';
import { listOrgDomains } from '../store/org-domains.ts';
import type { Store } from '../store/store.ts';
import { assertNamespacesFree } from './assert-namespaces-free.ts';
import type { ReconcileDeps } from './deps.ts';
import { listUsableDomains } from './list-usable-domains.ts';
import {
  type AddressReservation,
  type Reservation,
  toAddressReservations,
  toRepoReservations,
  toZoneReservations,
} from './reservations.ts';

/** Far longer than creating a Product takes, so an older reservation without its Product belongs to a failed request. */
const abandonedAfterMs = 10 * 60_000;

type Deps = Pick<ReconcileDeps, 'store' | 'config' | 'now'>;
type Holder = { org: string; product: string };
type NewReservation = { name: string };

/**
 * Reserves the names of a Product, its zones and their addresses in the whole installation, and its repos in the org;
 * throws 409 when one is taken. Returns the reservations that are new.
 */
export async function reserveProductNames(deps: Deps, holder: Holder, spec: ProductSpec): Promise<NewReservation[]> {
  const { product } = holder;
  const own = { name: productReservationName(product), description: `Product name "${product}"` };
  const created = (await reserve(deps, holder, own)) ? [own] : [];
  try {
    return [...created, ...(await reserveNames(deps, holder, spec))];
  } catch (error) {
    await releaseRejectedNames(deps, holder, created);
    throw error;
  }
}

/**
 * Reserves the repos, the names of zones and their addresses; throws 409 when one is taken, or is a namespace of another
 * owner. Returns the reservations that are new.
 */
export async function reserveNames(deps: Deps, holder: Holder, spec: ProductSpec): Promise<NewReservation[]> {
  await assertNamespacesFree(deps.store, holder, spec);
  const created: NewReservation[] = [];
  try {
    for (const reservation of [...toRepoReservations(holder, spec), ...toZoneReservations(spec)])
      if (await reserve(deps, holder, reservation)) created.push(reservation);
    await reserveAddresses(deps, holder, { spec, created });
  } catch (error) {
    await releaseRejectedNames(deps, holder, created);
    throw error;
  }
  return created;
}

/** Adds to `created` at once, so that a failure releases what was reserved before it. */
async function reserveAddresses(
  deps: Deps,
  holder: Holder,
  { spec, created }: { spec: ProductSpec; created: NewReservation[] },
): Promise<void> {
  const settings = await readDomainSettings(deps.store, deps.config.domains);
  const domains = await listOrgDomains(deps.store, holder.org, settings);
  const added: AddressReservation[] = [];
  for (const reservation of toAddressReservations(spec, { domains, ...settings }))
    if (await reserve(deps, holder, reservation)) {
      added.push(reservation);
      created.push(reservation);
    }
  if (added.length === 0) return;
  // The removal of a domain first prevents new reservations and then lists the existing ones. Reading the domains again
  // after reserving ensures that either the removal or this request notices the other.
  const usableDomains = await listUsableDomains(deps.store, holder.org, settings);
  const unusable = added.find(({ domain }) => !usableDomains.some(({ name }) => name === domain));
  if (!unusable) return;
  for (const { name } of added)
    await deps.store.delete(ConfigMapKind, { namespace: systemNamespace, name }).catch(ignoreNotFound);
  throw new ServiceError(
    'domain-unusable',
    `The domain "${unusable.domain}" can no longer be used. List the domains again.`,
  );
}

/** Throws what `reserveNames` would throw for a name that is taken, without reserving any. */
export async function assertNamesFree(deps: Deps, holder: Holder, spec: ProductSpec): Promise<void> {
  await assertNamespacesFree(deps.store, holder, spec);
  const settings = await readDomainSettings(deps.store, deps.config.domains);
  const domains = await listOrgDomains(deps.store, holder.org, settings);
  const addresses = toAddressReservations(spec, { domains, ...settings });
  for (const reservation of [...toRepoReservations(holder, spec), ...toZoneReservations(spec), ...addresses]) {
    const existing = await deps.store.find(ConfigMapKind, { namespace: systemNamespace, name: reservation.name });
    if (existing && !isHeldBy(existing, holder) && !(await isAbandoned(deps.store, existing, deps.now())))
      throw nameTaken(reservation);
  }
}

/** Does what `releaseUnusedNames` does after a spec was replaced, for the names of the previous one. */
export async function releaseNames(deps: Pick<Deps, 'store'>, holder: Holder, before: ProductSpec): Promise<void> {
  const names = new Set([...toRepoReservations(holder, before), ...toZoneReservations(before)].map(({ name }) => name));
  const hosts = listHosts(before);
  await releaseUnusedNames(deps, holder, ({ metadata, data }) => names.has(metadata.name) || hosts.has(data?.['host']));
}

/** Deletes the reservations that were made for a spec which was not accepted. */
export async function releaseRejectedNames(
  deps: Pick<Deps, 'store'>,
  holder: Holder,
  reservations: readonly NewReservation[],
): Promise<void> {
  if (reservations.length === 0) return;
  const names = new Set(reservations.map(({ name }) => name));
  await releaseUnusedNames(deps, holder, ({ metadata }) => names.has(metadata.name));
}

/**
 * Deletes the reservations of a Product, or those that match, which its stored spec does not use, and records the zones
 * that its addresses have moved to. The names of a zone that is being removed, and of a spec that is still to be accepted,
 * stay until then.
 */
export async function releaseUnusedNames(
  { store }: Pick<Deps, 'store'>,
  { org, product }: Holder,
  matches?: (reservation: ConfigMap) => boolean,
): Promise<void> {
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const held = items.filter(
    (reservation) => isHeldBy(reservation, { org, product }) && (!matches || matches(reservation)),
  );
  // The spec is read after the reservations, because each of those may belong to a spec that was accepted meanwhile.
  const current = await store.find(ProductKind, { namespace: orgNamespace(org), name: product });
  if (current ? !isReconciled(current) : !matches) return;
  const removing = (current?.status?.zones ?? []).filter(({ removal }) => removal).map(({ name }) => name);
  const zones = [...(current?.spec.delivery.zones ?? []).map(({ name }) => name), ...removing];
  const repos = current ? toRepoReservations({ org }, current.spec).map(({ name }) => name) : [];
  const own = current ? [productReservationName(product), ...repos] : [];
  const used = new Set([...own, ...zones.map(zoneReservationName)]);
  const zoneByHost = new Map(current && listAddresses(current.spec).map(({ zone, host }) => [host, zone]));
  for (const reservation of held) {
    const { metadata, data } = reservation;
    const zone = zoneByHost.get(data?.['host'] ?? '');
    if (zone !== undefined) await updateReservedZone(store, reservation, zone);
    else if (!used.has(metadata.name) && !removing.includes(data?.['zone'] ?? ''))
      await store.delete(ConfigMapKind, metadata).catch(ignoreNotFound);
  }
}

const listAddresses = ({ delivery }: ProductSpec): { zone: string; host: string }[] =>
  delivery.zones.flatMap(({ name, addresses = [] }) =>
    addresses.map((address) => ({ zone: name, host: toHostName(address) })),
  );
const listHosts = (spec: ProductSpec): Set<string | undefined> => new Set(listAddresses(spec).map(({ host }) => host));

/** Returns true when the reservation is new, and false when the holder already had it. */
async function reserve(
  { store, now }: Deps,
  holder: Holder,
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
    if (!(await isAbandoned(store, existing, now()))) {
      if (isHeldBy(existing, holder)) return false;
      throw nameTaken(reservation);
    }
    // That of an earlier request of the holder gets a new time, or another Product could take it before this one exists.
    await store.replace(ConfigMapKind, { ...existing, metadata: { ...existing.metadata, ...metadata }, data });
    return true;
  }
}

/** Records the new zone of an address that moved between zones of its Product. */
async function updateReservedZone(store: Store, existing: ConfigMap, zone: string): Promise<void> {
  if (existing.data?.['zone'] === zone) return;
  try {
    await store.replace(ConfigMapKind, { ...existing, data: { ...existing.data, zone } });
  } catch (error) {
    if (!isServiceError(error, 'conflict') && !isServiceError(error, 'not-found')) throw error;
  }
}

const isHeldBy = ({ data }: ConfigMap, { org, product }: Holder): boolean =>
  data?.['org'] === org && data['product'] === product;

async function isAbandoned(store: Store, { data }: ConfigMap, now: Date): Promise<boolean> {
  const reservedAt = Date.parse(data?.['reservedAt'] ?? '');
  if (now.getTime() - reservedAt < abandonedAfterMs) return false;
  const holder = { namespace: orgNamespace(data?.['org'] ?? ''), name: data?.['product'] ?? '' };
  return (await store.find(ProductKind, holder)) === undefined;
}

/** The message does not name the holder, because orgs must not learn about each other. */
function nameTaken({
  description,
  pointer,
  isOfOrg,
}: Pick<Reservation, 'description' | 'pointer' | 'isOfOrg'>): ServiceError {
  const detail = isOfOrg ? 'belongs to another Product of the org' : 'is taken in this installation';
  const fix = isOfOrg ? 'Choose another.' : 'Choose another, or ask a platform admin for its owner.';
  const errors: FieldError[] = pointer === undefined ? [] : [{ pointer, detail }];
  return new ServiceError('name-taken', `The ${description} ${detail}. ${fix}`, { errors });
}
