import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';

export type EncryptionKey = { id: string; bytes: Uint8Array };

const ivBytes = 12;
const tagBytes = 16;
const encoding = Buffer.from('binary/encrypted');
const { Payload: PayloadMessage } = proto.temporal.api.common.v1;

/**
 * Seals everything that workflows are given and give with AES-256-GCM: the first key seals, each of them opens. What
 * was written before there were keys is read as it is. The key's id is part of what is sealed, so that nobody can
 * change the one without breaking the other.
 */
export function sealingCodec(keys: readonly EncryptionKey[]): PayloadCodec {
  const [current] = keys;
  if (!current) throw new Error('There is no key to seal with.');
  return {
    encode: async (payloads) => payloads.map((payload) => seal(payload, current)),
    decode: async (payloads) => payloads.map((payload) => (isSealed(payload) ? open(payload, keys) : payload)),
  };
}

function seal(payload: Payload, { id, bytes }: EncryptionKey): Payload {
  const keyId = Buffer.from(id);
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', bytes, iv).setAAD(keyId);
  const sealed = [cipher.update(PayloadMessage.encode(payload).finish()), cipher.final()];
  return {
    metadata: { encoding, 'encryption-key-id': keyId },
    data: Buffer.concat([iv, ...sealed, cipher.getAuthTag()]),
  };
}

const isSealed = ({ metadata }: Payload): boolean => encoding.equals(metadata?.['encoding'] ?? Buffer.alloc(0));

function open({ metadata, data }: Payload, keys: readonly EncryptionKey[]): Payload {
  const keyId = Buffer.from(metadata?.['encryption-key-id'] ?? []);
  const key = keys.find(({ id }) => id === keyId.toString());
  if (!key)
    throw new Error(
      `A payload was sealed with the key "${keyId.toString()}", which is not among TEMPORAL_ENCRYPTION_KEYS. Add it there, after the first.`,
    );
  const bytes = Buffer.from(data ?? []);
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(keyId)
    .setAuthTag(bytes.subarray(-tagBytes));
  return PayloadMessage.decode(Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]));
}
