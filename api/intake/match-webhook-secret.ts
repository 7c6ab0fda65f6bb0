import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto';
import type { ApiDeps } from '../deps.ts';
import { createExhaustiveSearch } from './exhaustive-search.ts';
import { hashInSlices, inlineHashBytesMax } from './hash-in-slices.ts';
import { findAppId, type SenderHints } from './sender-hints.ts';
import type { SignerSnapshot } from './signer-index.ts';
import type { SignedBody, Signer } from './signer.ts';
import { watchSigners } from './watch-signers.ts';

/** Several orgs may match the hints of one delivery; the exhaustive search tries those beyond this number. */
const candidatesMax = 8;

/** Tries to match one delivery: the secrets of the app that its headers name hash the body while it arrives. */
export type WebhookSecretMatch = {
  addPart: (part: Uint8Array) => void;
  findSigner: (signed: SignedBody, hints: SenderHints) => Promise<Signer | undefined>;
};

/** Tries the orgs that the hints name first, so that a valid delivery costs about one hash however many orgs exist. */
export function createWebhookSecretMatcher(deps: Pick<ApiDeps, 'store' | 'shutdownSignal' | 'now'>) {
  const current = watchSigners(deps);
  const search = createExhaustiveSearch(deps);
  return async (headers: Record<string, string>): Promise<WebhookSecretMatch> => {
    const earlier = await current();
    const named = earlier.candidates({ appId: findAppId(headers), accounts: [] }).slice(0, candidatesMax);
    const hashing = named.flatMap((signer) => startHashing(signer).map((hmac) => ({ signer, hmac })));
    return {
      addPart(part) {
        for (const { hmac } of hashing) hmac.update(part);
      },
      async findSigner(signed, hints) {
        const signers = await current();
        const found = hashing.find(({ hmac }) => timingSafeEqual(hmac.digest(), signed.digest));
        // A secret may have changed while the body arrived.
        if (found && signers === earlier) return found.signer;
        const candidates = signers.candidates(hints).slice(0, candidatesMax);
        const tried = signers === earlier ? named : [];
        for (const signer of candidates)
          if (!tried.includes(signer) && (await hasSigned(signer, signed))) return signer;
        if (!canSearchInline(signers, signed)) return await search(signers, signed);
        for (const signer of signers.all) if (await hasSigned(signer, signed)) return signer;
        return undefined;
      },
    };
  };
}

const startHashing = ({ secrets }: Signer): Hmac[] => secrets.map((secret) => createHmac('sha256', secret));

async function hasSigned(signer: Signer, { body, digest }: SignedBody): Promise<boolean> {
  const hashing = startHashing(signer);
  await hashInSlices(hashing, body);
  return hashing.some((hmac) => timingSafeEqual(hmac.digest(), digest));
}

/** A larger search runs in a thread. */
const canSearchInline = ({ all }: SignerSnapshot, { body }: SignedBody): boolean =>
  all.length <= 2 * candidatesMax && all.length * body.length <= inlineHashBytesMax;
