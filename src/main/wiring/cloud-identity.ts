import { createPrivateKey, createPublicKey, generateKeyPair, randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { SecretKind } from '../../kinds/kubernetes.ts';
import { readIdentityKeys, toIdentityKeysData } from '../../rules/cloud-accounts/identity-keys-secret.ts';
import {
  findSigningKey,
  type IdentityKey,
  identityKeysSecretName,
  isNextKeyDue,
  listCurrentKeys,
} from '../../rules/cloud-accounts/identity-keys.ts';
import {
  type CloudIdentity,
  type PublicKey,
  tokenLifetimeMs,
  toSubject,
} from '../../rules/cloud-accounts/identity-token.ts';
import { systemNamespace } from '../../rules/resource.ts';
import { applyObject } from '../../store/apply-object.ts';
import type { Store } from '../../store/store.ts';

const ref = { namespace: systemNamespace, name: identityKeysSecretName };

/** Strangers can ask for the public keys, so not every request reads the store. */
const cacheMs = 60_000;

const generateKeys = promisify(generateKeyPair);

/**
 * Returns the identity with which the installation signs in to clouds. All replicas read the same keys; the one that first
 * needs a key creates it.
 */
export function createCloudIdentity(store: Store, { issuer, now }: { issuer: string; now: () => Date }): CloudIdentity {
  let cached: { keys: IdentityKey[]; readAtMs: number } | undefined;
  let reading: Promise<IdentityKey[]> | undefined;
  const readAgain = async (): Promise<IdentityKey[]> => {
    const at = now();
    const keys = await ensureKeys(store, at);
    cached = { keys, readAtMs: at.getTime() };
    return keys;
  };
  const readKeys = async (): Promise<IdentityKey[]> => {
    if (cached && Math.abs(now().getTime() - cached.readAtMs) < cacheMs) return cached.keys;
    // Requests that come at once wait for one key, because creating one takes the CPU for a moment.
    reading ??= readAgain().finally(() => (reading = undefined));
    return await reading;
  };
  return {
    issuer,
    listPublicKeys: async () => await Promise.all((await readKeys()).map(toPublicKey)),
    async signToken({ org, audience }) {
      const key = findSigningKey(await readKeys(), now());
      if (!key) throw new Error('There is no key of the installation.');
      const issuedAt = Math.floor(now().getTime() / 1000);
      return await new SignJWT()
        .setProtectedHeader({ alg: 'RS256', kid: key.id, typ: 'JWT' })
        .setIssuer(issuer)
        .setSubject(toSubject(org))
        .setAudience(audience)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + tokenLifetimeMs / 1000)
        .sign(createPrivateKey(key.privateKey));
    },
  };
}

/** Reads the keys, creates the one that is due, and drops those whose tokens have ended. */
async function ensureKeys(store: Store, now: Date): Promise<IdentityKey[]> {
  let created: IdentityKey | undefined;
  const secret = await applyObject(store, SecretKind, {
    ref,
    build: async (current) => {
      const keys = readIdentityKeys(current);
      if (isNextKeyDue(keys, now)) keys.push((created ??= await createKey(now)));
      return { type: 'Opaque', data: toIdentityKeysData(listCurrentKeys(keys, now)) };
    },
  });
  return readIdentityKeys(secret);
}

/** AWS and Google verify RSA signatures only. The id follows from the key, so two keys never share one. */
async function createKey(now: Date): Promise<IdentityKey> {
  const { privateKey, publicKey } = await generateKeys('rsa', { modulusLength: 2048 });
  return {
    id: await calculateJwkThumbprint(await exportJWK(publicKey)),
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    createdAt: now.toISOString(),
  };
}

/** Exports the public half alone, with which no one can sign. */
async function toPublicKey({ id, privateKey }: IdentityKey): Promise<PublicKey> {
  const { n = '', e = '' } = await exportJWK(createPublicKey(privateKey));
  return { kty: 'RSA', kid: id, use: 'sig', alg: 'RS256', n, e };
}
