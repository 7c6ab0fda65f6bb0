import type { ApiDeps } from '../deps.ts';
import { watchSigners } from './watch-signers.ts';
import { createExhaustiveSearch } from './exhaustive-search.ts';
import type { SenderHints } from './sender-hints.ts';
import { hasValidSignature } from './has-valid-signature.ts';
import type { SignedBody, Signer, SignerSnapshot } from './signer-index.ts';

/** Several orgs may match the hints of one delivery; the exhaustive search tries those beyond this number. */
const candidatesMax = 8;
/** Hashing this many bytes does not delay other requests noticeably; a larger search runs in a thread. */
const inlineHashBytesMax = 256 * 1024;

/** Tries the orgs that the hints name first, so that a valid delivery costs about one hash however many orgs exist. */
export function createWebhookSecretMatcher(deps: Pick<ApiDeps, 'store' | 'shutdownSignal'>) {
  const current = watchSigners(deps);
  const search = createExhaustiveSearch(deps);
  return async (signed: SignedBody, hints: SenderHints): Promise<Signer | undefined> => {
    const signers = await current();
    const candidates = signers.candidates(hints).slice(0, candidatesMax);
    const found = candidates.find((signer) => isSignedBy(signer, signed));
    if (found) return found;
    if (canSearchInline(signers, signed)) return signers.all.find((signer) => isSignedBy(signer, signed));
    return await search(signers, signed);
  };
}

const isSignedBy = ({ secrets }: Signer, { body, digest }: SignedBody): boolean =>
  secrets.some((secret) => hasValidSignature(secret, body, digest));

const canSearchInline = ({ all }: SignerSnapshot, { body }: SignedBody): boolean =>
  all.length <= 2 * candidatesMax && all.length * body.length <= inlineHashBytesMax;
