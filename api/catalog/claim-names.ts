import { isServiceError, ServiceError } from '../../src/errors.ts';
import { productClaim, zoneClaim } from '../../src/rules/catalog/claims.ts';
import { ProductKind } from '../../src/rules/catalog/kinds.ts';
import { ConfigMapKind, type ConfigMap } from '../../src/rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';

/** Far longer than creating a Product takes: a claim without its Product that is older was left by one that broke off. */
const abandonedAfterMs = 10 * 60_000;

type Claimant = { org: string; product: string };
type Names = { zones: readonly string[]; now: Date };

/** Takes the names of a Product and its zones for the whole installation; whoever creates a claim first has the name. */
export async function claimProduct(store: Store, claimant: Claimant, names: Names): Promise<void> {
  await claim(store, {
    name: productClaim(claimant.product),
    what: `Product name "${claimant.product}"`,
    claimant,
    now: names.now,
  });
  await claimZones(store, claimant, names);
}

export async function claimZones(store: Store, claimant: Claimant, { zones, now }: Names): Promise<void> {
  for (const zone of zones) await claim(store, { name: zoneClaim(zone), what: `zone name "${zone}"`, claimant, now });
}

export async function releaseZones(store: Store, zones: readonly string[]): Promise<void> {
  for (const zone of zones)
    await store.delete(ConfigMapKind, { namespace: systemNamespace, name: zoneClaim(zone) }).catch((error: unknown) => {
      if (!isServiceError(error, 'not-found')) throw error;
    });
}

type Claim = { name: string; what: string; claimant: Claimant; now: Date };

async function claim(store: Store, wanted: Claim): Promise<void> {
  const metadata = { namespace: systemNamespace, name: wanted.name };
  const data = { ...wanted.claimant, at: wanted.now.toISOString() };
  try {
    await store.create(ConfigMapKind, { metadata, data });
  } catch (error) {
    if (!isServiceError(error, 'conflict')) throw error;
    const held = await store.get(ConfigMapKind, metadata);
    if (isOurs(held, wanted.claimant)) return;
    if (!(await isAbandoned(store, held, wanted.now))) throw taken(wanted.what);
    await store.replace(ConfigMapKind, { ...held, data });
  }
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
const taken = (what: string): ServiceError =>
  new ServiceError(
    'conflict',
    `The ${what} is taken in this installation. Choose another, or ask a platform admin who has it.`,
  );
