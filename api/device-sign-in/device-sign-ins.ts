import { hash, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { isServiceError, ServiceError } from '../../src/errors.ts';
import { readSecretText, type Secret, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import { createUserCode, parseUserCode } from '../../src/rules/access/user-code.ts';
import { deviceSignInLabels } from '../../src/rules/expiry.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import type { TokenHolder } from '../auth/issue-token.ts';

const ttlMs = 10 * 60_000;

/** A tool that asks to sign in as the person who approves it. The codes are stored as hashes. */
export type DeviceSignIn = {
  client: string;
  /** The address that the tool asked from. */
  address: string;
  roleMax?: OrgRole;
  createdAt: string;
  expiresAt: string;
  decision?: { approved: false } | ({ approved: true; tokenExpiresAt: string } & TokenHolder);
};
type StoredSignIn = { secret: Secret; signIn: DeviceSignIn };
type NewSignIn = Pick<DeviceSignIn, 'client' | 'address' | 'roleMax'>;

/** The name is derived from the user code, and it is also the first part of the device code. */
const toName = (userCode: string): string => `device-sign-in-${hash('sha256', userCode).slice(0, 40)}`;
const toRef = (name: string) => ({ namespace: systemNamespace, name });
const deviceCodePattern = /^(device-sign-in-[0-9a-f]{40})\.([\w-]{43})$/;

/** Stores a sign-in that waits for a person, and returns its codes, which are stored nowhere. */
export async function createDeviceSignIn(
  store: Store,
  { client, address, roleMax }: NewSignIn,
  now: Date,
): Promise<{ deviceCode: string; userCode: string; expiresInSeconds: number }> {
  const secretPart = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + ttlMs).toISOString();
  const signIn = { client, address, ...(roleMax && { roleMax }), createdAt: now.toISOString(), expiresAt };
  for (;;) {
    const userCode = createUserCode((exclusiveMax) => randomInt(exclusiveMax));
    const name = toName(userCode);
    try {
      await store.create(SecretKind, {
        metadata: { ...toRef(name), labels: deviceSignInLabels },
        type: 'Opaque',
        data: toData(signIn, hash('sha256', secretPart)),
      });
      return { deviceCode: `${name}.${secretPart}`, userCode, expiresInSeconds: ttlMs / 1000 };
    } catch (error) {
      if (!isServiceError(error, 'conflict')) throw error;
    }
  }
}

/** Returns the sign-in of a code that a person typed; throws when it is unknown, expired or decided. */
export async function getUndecidedSignIn(store: Store, typed: string, now: Date): Promise<StoredSignIn> {
  const userCode = parseUserCode(typed);
  const found = userCode === undefined ? undefined : await read(store, toName(userCode));
  if (!found || found.signIn.decision || Date.parse(found.signIn.expiresAt) <= now.getTime())
    throw new ServiceError(
      'not-found',
      `No sign-in is waiting with the code "${typed}". Compare it with the code that the tool shows, or start again there.`,
    );
  return found;
}

/** Records the decision of a person; a sign-in is decided once. */
export async function decideSignIn(
  store: Store,
  { secret, signIn }: StoredSignIn,
  decision: NonNullable<DeviceSignIn['decision']>,
): Promise<void> {
  const data = toData({ ...signIn, decision }, readSecretText(secret, 'device') ?? '');
  await store.replace(SecretKind, { ...secret, data });
}

/** Returns the sign-in of a device code, or undefined when there is none (any more). */
export async function findSignInByDeviceCode(store: Store, deviceCode: string): Promise<StoredSignIn | undefined> {
  const [, name = '', secretPart = ''] = deviceCodePattern.exec(deviceCode) ?? [];
  const found = name === '' ? undefined : await read(store, name);
  return found && isEqualHash(hash('sha256', secretPart), readSecretText(found.secret, 'device')) ? found : undefined;
}

/** Deletes a sign-in, and returns false if another request has deleted it, so that its code is redeemed once. */
export async function takeSignIn(store: Store, { secret: { metadata } }: StoredSignIn): Promise<boolean> {
  try {
    await store.delete(SecretKind, metadata, { resourceVersion: metadata.resourceVersion });
    return true;
  } catch (error) {
    if (isServiceError(error)) return false;
    throw error;
  }
}

const toData = (signIn: DeviceSignIn, device: string): Record<string, string> =>
  toSecretData({ device, expires: signIn.expiresAt, signIn: JSON.stringify(signIn) });

async function read(store: Store, name: string): Promise<StoredSignIn | undefined> {
  const secret = await store.find(SecretKind, toRef(name));
  return secret && { secret, signIn: JSON.parse(readSecretText(secret, 'signIn') ?? '{}') as DeviceSignIn };
}

const isEqualHash = (one: string, other: string | undefined): boolean =>
  other?.length === one.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
