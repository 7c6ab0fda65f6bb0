import { ServiceError, isServiceError } from '../../src/errors.ts';
import { ConfigMapKind } from '../../src/rules/core-kinds.ts';
import type { Claims, DomainClaim } from '../../src/rules/domains/claims.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrGet } from '../create-or-get.ts';

/** Far more than could be changing the claims of one registered name at once. */
const attempts = 20;

/**
 * Changes the claims to names that are registered as one. They stand in one object, so that of two who claim a name and
 * one above it at the same moment the store itself lets one be first.
 */
export async function changeClaims<Outcome extends { claims: Claims } | { refused: DomainClaim }>(
  store: Store,
  family: string,
  change: (claims: Claims) => Outcome,
): Promise<Outcome> {
  const metadata = { namespace: systemNamespace, name: `domain-claims-${family}` };
  for (let attempt = 1; ; attempt += 1) {
    const held = await createOrGet(store, ConfigMapKind, { metadata, data: { claims: '[]' } });
    const before = JSON.parse(held.data?.['claims'] ?? '[]') as Claims;
    const outcome = change(before);
    if ('refused' in outcome) return outcome;
    const { claims } = outcome;
    try {
      if (claims.length === 0)
        await store.delete(ConfigMapKind, metadata, { resourceVersion: held.metadata.resourceVersion });
      else await store.replace(ConfigMapKind, { ...held, data: { claims: JSON.stringify(claims) } });
      return outcome;
    } catch (error) {
      const changed = isServiceError(error, 'conflict') || isServiceError(error, 'not-found');
      if (!changed || attempt === attempts) throw error;
    }
  }
}

/** Says what stands in the way, never whose it is. */
export const takenBy = ({ host, verified }: DomainClaim, wanted: string): ServiceError =>
  new ServiceError(
    'conflict',
    host === wanted
      ? `The domain "${wanted}" is held by another org of this installation. ${wayOut(verified)}`
      : `The domain "${wanted}" overlaps with "${host}", which another org of this installation holds. ${wayOut(verified)}`,
  );

const wayOut = (verified: boolean): string =>
  verified
    ? 'It is verified there: ask a platform admin.'
    : 'It has not been proven there: if it still is not 7 days after it was claimed, you can claim it.';
