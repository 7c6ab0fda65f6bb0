import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { type EncryptionKey, createEncryptionCodec } from '../../../src/main/temporal/encryption-codec.ts';

const createKey = (id: string): EncryptionKey => ({ id, bytes: randomBytes(32) });
const payload = defaultPayloadConverter.toPayload({ title: 'Greet visitors by name' });
const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString();

it('decrypts what it encrypted, and exposes only the id of the key', async () => {
  const codec = createEncryptionCodec([createKey('2026-11')]);
  const [encrypted] = await codec.encode([payload]);
  expect(text(encrypted?.data)).not.toContain('Greet');
  expect(Object.entries(encrypted?.metadata ?? {}).map(([name, value]) => [name, text(value)])).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', '2026-11'],
  ]);
  const [decrypted] = await codec.decode([encrypted ?? payload]);
  expect(defaultPayloadConverter.fromPayload(decrypted ?? {})).toEqual({ title: 'Greet visitors by name' });
});

it('encrypts equal payloads to different bytes', async () => {
  const [one, other] = await createEncryptionCodec([createKey('k')]).encode([payload, payload]);
  expect(text(one?.data)).not.toBe(text(other?.data));
});

it('decrypts payloads of older keys and reads unencrypted payloads', async () => {
  const [old, young] = [createKey('old'), createKey('young')];
  const [encrypted] = await createEncryptionCodec([old]).encode([payload]);
  const rotated = createEncryptionCodec([young, old]);
  for (const [decrypted] of [await rotated.decode([encrypted ?? {}]), await rotated.decode([payload])])
    expect(defaultPayloadConverter.fromPayload(decrypted ?? {})).toEqual({ title: 'Greet visitors by name' });
  const [again] = await rotated.encode([payload]);
  expect(text(again?.metadata?.['encryption-key-id'])).toBe('young');
});

it('names the missing key', async () => {
  const [encrypted] = await createEncryptionCodec([createKey('old')]).encode([payload]);
  await expect(createEncryptionCodec([createKey('young')]).decode([encrypted ?? {}])).rejects.toThrow(
    'encrypted with the key "old", which is not in TEMPORAL_ENCRYPTION_KEYS',
  );
});

it('rejects a payload whose data or key id was changed', async () => {
  const [one, other] = [createKey('one'), createKey('other')];
  const codec = createEncryptionCodec([one, { ...other, bytes: one.bytes }]);
  const [encrypted] = await codec.encode([payload]);
  const data = Uint8Array.from(encrypted?.data ?? []);
  data[20] = (data[20] ?? 0) ^ 1;
  await expect(codec.decode([{ ...encrypted, data }])).rejects.toThrow('unable to authenticate data');
  const metadata = { ...encrypted?.metadata, 'encryption-key-id': Buffer.from('other') };
  await expect(codec.decode([{ ...encrypted, metadata }])).rejects.toThrow('unable to authenticate data');
  await expect(codec.decode([{ ...encrypted, data: data.subarray(0, 10) }])).rejects.toThrow(/Invalid|authenticate/);
});
