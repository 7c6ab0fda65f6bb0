import type { KeyObject } from 'node:crypto';

/** A body with the digest that its sender sent as the signature. */
export type SignedBody = { body: Buffer; digest: Buffer };
/** An org with its webhook secrets. Hashing with a prepared `KeyObject` takes half the time of hashing with bytes. */
export type Signer = { org: string; appSlug: string | undefined; secrets: KeyObject[] };
/** A body and the org whose webhook secret signed it. */
export type VerifiedDelivery = { body: Buffer; signer: Signer };
