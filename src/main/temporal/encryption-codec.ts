import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

export type EncryptionKey = { id: string; bytes: Uint8Array };

const ivBytes = 12;
const tagBytes = 16;
const encoding = Buffer.from('binary/encrypted');
const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Encrypts workflow payloads with AES-256-GCM. The first key encrypts and every key decrypts; payloads that were
 * written without a key are read unchanged. The key's id is authenticated data, so changing it breaks decryption.
 */
export function createEncryptionCodec(keys: readonly EncryptionKey[]): PayloadCodec {
  const [current] = keys;
  if (!current) throw new Error('No encryption key is configured.');
  return {
    encode: async (payloads) => payloads.map((payload) => encryptPayload(payload, current)),
    decode: async (payloads) =>
      payloads.map((payload) => (isEncrypted(payload) ? decryptPayload(payload, keys) : payload)),
  };
}

function encryptPayload(payload: Payload, { id, bytes }: EncryptionKey): Payload {
  const keyId = Buffer.from(id);
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(keyId);
  const ciphertext = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()];
  return {
    metadata: { encoding, 'encryption-key-id': keyId },
    data: Buffer.concat([iv, ...ciphertext, cipher.getAuthTag()]),
  };
}

const isEncrypted = ({ metadata }: Payload): boolean => encoding.equals(metadata?.['encoding'] ?? Buffer.alloc(0));

function decryptPayload({ metadata, data }: Payload, keys: readonly EncryptionKey[]): Payload {
  const keyId = Buffer.from(metadata?.['encryption-key-id'] ?? []);
  const key = keys.find(({ id }) => id === keyId.toString());
  if (!key)
    throw new Error(
      `A payload was encrypted with the key "${keyId.toString()}", which is not in TEMPORAL_ENCRYPTION_KEYS. Add it after the first key.`,
    );
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(keyId)
    .setAuthTag(bytes.subarray(-tagBytes));
  return PayloadMessage.decode(Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]));
}
