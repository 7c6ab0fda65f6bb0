import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { defined } from '../../defined.ts';
import type { LicenseClaims } from '../../rules/licensing/read-license.ts';

const daySeconds = 24 * 60 * 60;

type Terms = {
  id?: string | undefined;
  customer?: string | undefined;
  plan?: string | undefined;
  days?: string | undefined;
  orgs?: string | undefined;
  clusters?: string | undefined;
  skeleton?: boolean | undefined;
};

/** Creates an Ed25519 key pair; both halves are raw 32 bytes in base64url. */
export function createKeyPair(): { publicKey: string; privateKey: string } {
  const { x: publicKey = '', d: privateKey = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { publicKey, privateKey: `${privateKey}.${publicKey}` };
}

/** Signs a license with the private key of `createKeyPair`. Throws when a term is missing or no number. */
export function issueLicense(terms: Terms, { privateKey, now }: { privateKey: string; now: Date }): string {
  const claims = Buffer.from(JSON.stringify(toClaims(terms, now))).toString('base64url');
  return `lic1.${claims}.${sign(null, Buffer.from(claims), readPrivateKey(privateKey)).toString('base64url')}`;
}

function readPrivateKey(text: string): KeyObject {
  const [d = '', x = ''] = text.split('.');
  try {
    return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  } catch {
    throw new Error('LICENSE_PRIVATE_KEY is not a private key. Set it to one of "npm run --silent license -- keys".');
  }
}

function toClaims({ id, customer, plan, days, orgs, clusters, skeleton }: Terms, now: Date): LicenseClaims {
  if (!id || !customer || !plan) throw new Error('Name --id, --customer and --plan.');
  const iat = Math.floor(now.getTime() / 1000);
  const lifetime = readCount('--days', days);
  if (lifetime === 0) throw new Error('--days must be at least 1. Without it, the license never expires.');
  return defined({
    id,
    customer,
    plan,
    orgs: readCount('--orgs', orgs),
    clusters: readCount('--clusters', clusters),
    iat,
    exp: lifetime === undefined ? undefined : iat + lifetime * daySeconds,
    skeleton,
  });
}

function readCount(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw new Error(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}
