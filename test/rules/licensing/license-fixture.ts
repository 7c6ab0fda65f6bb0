import { createKeyPair, issueLicense } from '../../../src/main/license/issue-license.ts';
import { readPublicKey } from '../../../src/rules/licensing/read-license.ts';

const { publicKey, privateKey } = createKeyPair();
export const vendorKey = readPublicKey(publicKey);
export const issuedAt = new Date('2026-11-01T00:00:00Z');

/** Signs a license with the key of the tests. */
export const issue = (terms: Partial<Parameters<typeof issueLicense>[0]> = {}, now = issuedAt): string =>
  issueLicense({ id: 'lic-1', customer: 'Tidewater', plan: 'team', ...terms }, { privateKey, now });

/** Signs any bytes as the claims of a license. */
export async function signClaims(bytes: Buffer): Promise<string> {
  const { signAsync } = await import('@noble/ed25519');
  const claims = bytes.toString('base64url');
  const secret = Buffer.from(privateKey.split('.')[0] ?? '', 'base64url');
  return `lic1.${claims}.${Buffer.from(await signAsync(Buffer.from(claims), secret)).toString('base64url')}`;
}
