import { type FieldError, isServiceError, ServiceError, unlessGone } from '../../src/errors.ts';
import { productClaim, zoneClaim } from '../../src/rules/catalog/claims.ts';
import { ProductKind, type ProductSpec } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind, type ConfigMap } from '../../src/rules/core-kinds.ts';
import { addressClaim, addressLabels } from '../../src/rules/domains/address-claims.ts';
import { hostOf } from '../../src/rules/domains/addresses.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { ApiDeps } from '../deps.ts';
import { usableDomains, type UsableDomain } from '../domains/usable-domains.ts';

/** Far longer than creating a Product takes: a claim without its Product that is older was left by one that broke off. */
const abandonedAfterMs = 10 * 60_000;

type Deps = Pick<ApiDeps, 'store' | 'config' | 'now'>;
type Claimant = { org: string; product: string };
type Claim = {
  name: string;
  what: string;
  /** Besides whose it is. */
  facts?: Record<string, string>;
  labels?: Record<string, string>;
  pointer?: string;
};

/** Takes the names of a Product and its zones for the whole installation; whoever creates a claim first has the name. */
export async function claimProduct(deps: Deps, claimant: Claimant, spec: ProductSpec): Promise<void> {
  await claim(deps, claimant, { name: productClaim(claimant.product), what: `Product name "${claimant.product}"` });
  await claimNames(deps, claimant, spec);
}

/** The same for zones and their addresses. */
export async function claimNames(deps: Deps, claimant: Claimant, spec: ProductSpec): Promise<void> {
  for (const { name } of spec.delivery.zones)
    await claim(deps, claimant, { name: zoneClaim(name), what: `zone name "${name}"` });
  const usable = async () => await usableDomains(deps.store, claimant.org, deps.config.domains);
  const taken: (Claim & { domain: string })[] = [];
  for (const wanted of addressClaims(spec, { domains: await usable(), ...deps.config.domains }))
    if (await claim(deps, claimant, wanted)) taken.push(wanted);
  if (taken.length === 0) return;
  // Whoever removes a domain looks for claims once nothing can be claimed any more: one of the two sees the other.
  const still = new Set((await usable()).map(({ name }) => name));
  const lost = taken.find(({ domain }) => !still.has(domain));
  if (!lost) return;
  await release(deps.store, taken);
  throw new ServiceError('conflict', `The domain "${lost.domain}" cannot be used any more. Read the domains again.`);
}

/** Gives back what a Product no longer names. */
export async function releaseNames({ store, config }: Deps, before: ProductSpec, after: ProductSpec): Promise<void> {
  const namesOf = (spec: ProductSpec): string[] => [
    ...spec.delivery.zones.map(({ name }) => zoneClaim(name)),
    ...addressClaims(spec, { domains: [], ...config.domains }).map(({ name }) => name),
  ];
  const kept = new Set(namesOf(after));
  const gone = namesOf(before).filter((name) => !kept.has(name));
  await release(
    store,
    gone.map((name) => ({ name })),
  );
}

/** Gives back all that a Product has claimed and does not name, whatever it was before. */
export async function releaseAllBut(
  { store, config }: Deps,
  { org, product }: Claimant,
  spec: ProductSpec,
): Promise<void> {
  const kept = new Set([
    productClaim(product),
    ...spec.delivery.zones.map(({ name }) => zoneClaim(name)),
    ...addressClaims(spec, { domains: [], ...config.domains }).map(({ name }) => name),
  ]);
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const gone = items.filter((held) => isOurs(held, { org, product }) && !kept.has(held.metadata.name));
  await release(
    store,
    gone.map(({ metadata }) => ({ name: metadata.name })),
  );
}

type Known = { domains: readonly UsableDomain[]; platformDomain: string | undefined };

function addressClaims({ delivery }: ProductSpec, { domains, platformDomain }: Known): (Claim & { domain: string })[] {
  return delivery.zones.flatMap(({ name: zone, addresses = [] }, row) =>
    addresses.map((address, index) => {
      const host = hostOf(address);
      const { domain } = address;
      const domainOrg = domains.find(({ name }) => name === domain)?.org ?? '';
      return {
        domain,
        name: addressClaim(host, platformDomain),
        what: `address "${host}"`,
        facts: { host, zone, domain, domainOrg },
        labels: addressLabels(domain),
        pointer: `/spec/delivery/zones/${row}/addresses/${index}`,
      };
    }),
  );
}

async function release(store: Store, claims: readonly { name: string }[]): Promise<void> {
  for (const { name } of claims)
    await store.delete(ConfigMapKind, { namespace: systemNamespace, name }).catch(unlessGone);
}

/** Whether it was not the claimant's before. */
async function claim({ store, now }: Deps, claimant: Claimant, wanted: Claim): Promise<boolean> {
  const metadata = { namespace: systemNamespace, name: wanted.name, ...(wanted.labels && { labels: wanted.labels }) };
  const data = { ...wanted.facts, ...claimant, at: now().toISOString() };
  try {
    await store.create(ConfigMapKind, { metadata, data });
    return true;
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    const held = await store.get(ConfigMapKind, metadata);
    if (isOurs(held, claimant)) {
      await moveZone(store, held, wanted);
      return false;
    }
    if (!(await isAbandoned(store, held, now()))) throw taken(wanted);
    await store.replace(ConfigMapKind, { ...held, metadata: { ...held.metadata, ...metadata }, data });
    return true;
  }
}

/** An address may have gone from one zone of its Product to another. */
async function moveZone(store: Store, held: ConfigMap, { facts }: Claim): Promise<void> {
  if (!facts || held.data?.['zone'] === facts['zone']) return;
  await store.replace(ConfigMapKind, { ...held, data: { ...held.data, zone: facts['zone'] ?? '' } });
}

const isOurs = ({ data }: ConfigMap, { org, product }: Claimant): boolean =>
  data?.['org'] === org && data['product'] === product;

async function isAbandoned(store: Store, { data }: ConfigMap, now: Date): Promise<boolean> {
  const claimedAt = Date.parse(data?.['at'] ?? '');
  if (now.getTime() - claimedAt < abandonedAfterMs) return false;
  const holder = { namespace: orgNamespace(data?.['org'] ?? ''), name: data?.['product'] ?? '' };
  return (await store.find(ProductKind, holder)) === undefined;
}

/** Says whom to ask, never whose it is: orgs do not learn of each other here. */
function taken({ what, pointer }: Claim): ServiceError {
  const errors: FieldError[] = pointer === undefined ? [] : [{ pointer, detail: 'is taken in this installation' }];
  return new ServiceError(
    'conflict',
    `The ${what} is taken in this installation. Choose another, or ask a platform admin who has it.`,
    { errors },
  );
}
