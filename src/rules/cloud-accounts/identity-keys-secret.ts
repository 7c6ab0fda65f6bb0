import { readSecretText, type Secret, toSecretData } from '../../kinds/kubernetes.ts';
import type { IdentityKey } from './identity-keys.ts';

const privateKeySuffix = '.private-key';
const createdAtSuffix = '.created-at';

export const toIdentityKeysData = (keys: readonly IdentityKey[]): Record<string, string> =>
  toSecretData(
    Object.fromEntries(
      keys.flatMap(({ id, privateKey, createdAt }) => [
        [`${id}${privateKeySuffix}`, privateKey],
        [`${id}${createdAtSuffix}`, createdAt],
      ]),
    ),
  );

/** Reads the keys, without those that a person has written incompletely with kubectl. */
export function readIdentityKeys(secret: Pick<Secret, 'data'> | undefined): IdentityKey[] {
  const entries = Object.keys(secret?.data ?? {}).filter((entry) => entry.endsWith(privateKeySuffix));
  return entries.flatMap((entry) => {
    const id = entry.slice(0, -privateKeySuffix.length);
    const privateKey = readSecretText(secret, entry) ?? '';
    const createdAt = readSecretText(secret, `${id}${createdAtSuffix}`) ?? '';
    const isComplete = privateKey.includes('PRIVATE KEY') && !Number.isNaN(Date.parse(createdAt));
    return isComplete ? [{ id, privateKey, createdAt }] : [];
  });
}
