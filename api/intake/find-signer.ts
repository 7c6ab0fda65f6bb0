import type { ApiDeps } from '../deps.ts';
import { followSigners } from './follow-signers.ts';
import { fullSearch } from './full-search.ts';
import type { Hints } from './hints.ts';
import { signedBy } from './signed-by.ts';
import type { Signer, Signers } from './signers.ts';

/** A body with the digest that its sender claims. */
export type Claim = { body: Buffer; given: Buffer };

/** Orgs may share an account: so many are tried at once, the others in the full search. */
const pointedAtMax = 8;
/** As much as is hashed without anybody noticing; a full search of more than this goes elsewhere. */
const hashedHereBytesMax = 256 * 1024;

/** Finds the org whose secret signed a delivery: those that it points at first, since that costs as much as one org. */
export function createFindSigner(deps: Pick<ApiDeps, 'store' | 'closing'>) {
  const current = followSigners(deps);
  const search = fullSearch(deps);
  return async (claim: Claim, hints: Hints): Promise<Signer | undefined> => {
    const signers = await current();
    const pointedAt = signers.pointedAt(hints).slice(0, pointedAtMax);
    const found = pointedAt.find((signer) => signed(signer, claim));
    if (found) return found;
    if (isSmall(signers, claim)) return signers.all.find((signer) => signed(signer, claim));
    return await search(signers, claim);
  };
}

const signed = ({ secrets }: Signer, { body, given }: Claim): boolean =>
  secrets.some((secret) => signedBy(secret, body, given));

const isSmall = ({ all }: Signers, { body }: Claim): boolean =>
  all.length <= 2 * pointedAtMax && all.length * body.length <= hashedHereBytesMax;
