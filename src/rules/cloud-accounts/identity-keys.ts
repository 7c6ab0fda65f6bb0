/** A key that signs or signed tokens of the installation. */
export type IdentityKey = { id: string; privateKey: string; createdAt: string };

/** The Secret in the namespace of the installation that holds the keys. The API alone reads it. */
export const identityKeysSecretName = 'cloud-identity';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** The age at which the next key is created. */
export const keyLifetimeMs = 90 * dayMs;
/** The time for which a key is published before it signs, because clouds keep the keys that they have read. */
export const publishAheadMs = dayMs;
/** The time for which a former key stays published; its tokens have ended long before. */
const keepFormerMs = hourMs;

const startsSigningAt = (key: IdentityKey): number => Date.parse(key.createdAt) + publishAheadMs;

/** Returns the key that signs: the newest one that has been published for long enough, or else the oldest. */
export function findSigningKey(keys: readonly IdentityKey[], now: Date): IdentityKey | undefined {
  const sorted = sortKeys(keys);
  return sorted.findLast((key) => startsSigningAt(key) <= now.getTime()) ?? sorted[0];
}

/** Returns the keys to publish, without those whose successor signs for longer than their tokens live. */
export function listCurrentKeys(keys: readonly IdentityKey[], now: Date): IdentityKey[] {
  const sorted = sortKeys(keys);
  const signing = findSigningKey(sorted, now);
  if (!signing || now.getTime() - startsSigningAt(signing) < keepFormerMs) return sorted;
  return sorted.slice(sorted.indexOf(signing));
}

/** Whether the next key is to be created: there is none, or the newest is old. */
export function isNextKeyDue(keys: readonly IdentityKey[], now: Date): boolean {
  const newest = sortKeys(keys).at(-1);
  return newest === undefined || now.getTime() - Date.parse(newest.createdAt) >= keyLifetimeMs;
}

const sortKeys = (keys: readonly IdentityKey[]): IdentityKey[] =>
  keys.toSorted((one, other) => Date.parse(one.createdAt) - Date.parse(other.createdAt));
