import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';

const prefix = 'lic1.';
const signatureBytes = 64;
/** The last second of the year 9999, after which JavaScript and ISO 8601 write years differently. */
const secondsMax = 253_402_300_799;

const Text = z.string().min(1).max(200);
const Limit = z.int().min(0);
const Seconds = z.int().min(0).max(secondsMax);
const Claims = z.object({
  id: Text,
  customer: Text,
  plan: Text,
  orgs: Limit.optional(),
  clusters: Limit.optional(),
  iat: Seconds,
  exp: Seconds.optional(),
  skeleton: z.boolean().optional(),
});
export type LicenseClaims = z.infer<typeof Claims>;

export type LicenseReading = { claims: LicenseClaims } | { violation: string };

/** Reads a raw Ed25519 public key of 32 bytes in base64url. Throws if it is not one. */
export function readPublicKey(text: string): KeyObject {
  if (decodeBase64url(text)?.length !== 32) throw new Error('An Ed25519 public key has 32 bytes in base64url.');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text }, format: 'jwk' });
}

/**
 * Reads `lic1.<claims>.<signature>`. The signature covers the claims as they arrived, in base64url; no claim is parsed
 * before a key has verified it.
 */
export function readLicense(text: string, keys: readonly KeyObject[]): LicenseReading {
  const license = text.trim();
  if (!license.startsWith(prefix)) return { violation: `A license is one line that starts with "${prefix}".` };
  const [claims = '', encodedSignature = '', ...rest] = license.slice(prefix.length).split('.');
  const signature = decodeBase64url(encodedSignature);
  const json = decodeBase64url(claims);
  if (rest.length > 0 || !json || signature?.length !== signatureBytes)
    return { violation: 'The license is not complete. Copy the whole line, without spaces or line breaks in it.' };
  if (keys.length === 0) return { violation: 'This installation has no public key of the vendor to verify it with.' };
  if (!keys.some((key) => isSignedBy(key, Buffer.from(claims), signature)))
    return { violation: 'The signature does not verify. Check that the whole line was copied.' };
  return parseClaims(json.toString());
}

/** Verifies an Ed25519 signature as strictly as RFC 8032, section 5.1.7: each message has one signature of a key. */
export const isSignedBy = (key: KeyObject, message: Buffer, signature: Buffer): boolean =>
  verify(null, message, key, signature);

function parseClaims(json: string): LicenseReading {
  const parsed = Claims.safeParse(parseJson(json));
  if (parsed.success) return { claims: parsed.data };
  const names = [...new Set(parsed.error.issues.map(({ path }) => path.join('.') || 'claims'))];
  return { violation: `The license is signed, but is not valid: ${names.join(', ')}. Ask the vendor for another one.` };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Decodes the one canonical spelling only: Node's decoder ignores foreign characters and spare bits. */
function decodeBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return text !== '' && bytes.toString('base64url') === text ? bytes : undefined;
}
