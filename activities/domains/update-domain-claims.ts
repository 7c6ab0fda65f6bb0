import { isServiceError, ServiceError } from '../../src/errors.ts';
import { type ConfigMap, ConfigMapKind } from '../../src/kinds/kubernetes.ts';
import type { Claims, DomainClaim } from '../../src/rules/domains/domain-claims.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getOrCreate } from '../get-or-create.ts';

/** Concurrent changes to the claims of one registrable domain stay far below this number. */
const attemptsMax = 20;

/** The claims under one registrable domain are in the ConfigMap of this prefix and the domain. */
const claimsPrefix = 'domain-claims-';
const toClaimsRef = (registrableDomain: string) => ({
  namespace: systemNamespace,
  name: `${claimsPrefix}${registrableDomain}`,
});
const parseClaims = ({ data }: ConfigMap): Claims => JSON.parse(data?.['claims'] ?? '[]') as Claims;

/** Returns whether an org other than the given one claims the name too. */
export async function isClaimedByOthers(
  store: Store,
  registrableDomain: string,
  { host, org }: Pick<DomainClaim, 'host' | 'org'>,
): Promise<boolean> {
  const claims = await readClaims(store, registrableDomain);
  return claims.some((claim) => claim.host === host && claim.org !== org);
}

export async function readClaims(store: Store, registrableDomain: string): Promise<Claims> {
  const configMap = await store.find(ConfigMapKind, toClaimsRef(registrableDomain));
  return configMap ? parseClaims(configMap) : [];
}

/** Ends all claims of an org, also those whose Domain no longer exists. */
export async function deleteOrgClaims(store: Store, org: string): Promise<void> {
  const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace });
  const holding = items.filter(
    (item) => item.metadata.name.startsWith(claimsPrefix) && parseClaims(item).some((claim) => claim.org === org),
  );
  for (const { metadata } of holding)
    await updateDomainClaims(store, metadata.name.slice(claimsPrefix.length), (claims) => ({
      claims: claims.filter((claim) => claim.org !== org),
    }));
}

/**
 * Changes the claims under one registrable domain. All of them are in one object, so that the store serializes concurrent
 * claims of a name and of its parent names.
 */
export async function updateDomainClaims<Outcome extends { claims: Claims } | { conflict: DomainClaim }>(
  store: Store,
  registrableDomain: string,
  change: (claims: Claims) => Outcome,
): Promise<Outcome> {
  const metadata = toClaimsRef(registrableDomain);
  for (let attempt = 1; ; attempt += 1) {
    const configMap = await getOrCreate(store, ConfigMapKind, { metadata, data: { claims: '[]' } });
    const outcome = change(parseClaims(configMap));
    if ('conflict' in outcome) return outcome;
    const { claims } = outcome;
    try {
      if (claims.length === 0)
        await store.delete(ConfigMapKind, metadata, { resourceVersion: configMap.metadata.resourceVersion });
      else await store.replace(ConfigMapKind, { ...configMap, data: { claims: JSON.stringify(claims) } });
      return outcome;
    } catch (error) {
      const isStale = isServiceError(error, 'conflict') || isServiceError(error, 'not-found');
      if (!isStale || attempt === attemptsMax) throw error;
    }
  }
}

/** The message never names the org that holds the domain. */
export const domainTakenError = ({ host, verified }: DomainClaim, wanted: string): ServiceError =>
  new ServiceError(
    'domain-taken',
    host === wanted
      ? `The domain "${wanted}" is claimed by another org of this installation. ${toFix(verified)}`
      : `The domain "${wanted}" overlaps with "${host}", which another org of this installation has claimed. ${toFix(verified)}`,
  );

const toFix = (verified: boolean): string =>
  verified
    ? 'Its claim is verified. Ask a platform admin.'
    : 'Its claim is not verified yet and expires 7 days after it was made. Claim the domain again after that time.';
