import { hkdfSync } from 'node:crypto';
import { generateIdentity, identityToRecipient } from 'age-encryption';
import { ServiceError } from '../../errors.ts';

/** The keys with which an installation writes archives; they cannot decrypt any. */
export type ArchiveKeys = {
  /** Encrypts an archive for the recovery key. */
  recipient: string;
  /** Proves that an archive was written by an installation that had the recovery key, because a recipient is not a secret. */
  seal: Uint8Array;
};

export const createRecoveryKey = async (): Promise<string> => await generateIdentity();

/** Derives the keys of archives from a recovery key. */
export async function deriveArchiveKeys(recoveryKey: string): Promise<ArchiveKeys> {
  try {
    const recipient = await identityToRecipient(recoveryKey);
    return { recipient, seal: new Uint8Array(hkdfSync('sha256', recoveryKey, '', 'delivery-platform/seal/v1', 32)) };
  } catch {
    // The library's error may quote the key.
    throw new ServiceError(
      'recovery-key-wrong',
      'The recovery key is not valid. Send the whole line that begins with AGE-SECRET-KEY-.',
      { errors: [{ pointer: '/recoveryKey', detail: 'must be a recovery key' }] },
    );
  }
}
