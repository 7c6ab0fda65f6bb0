import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { type EncryptionKey, sealingCodec } from '../../../src/main/temporal/payload-codec.ts';

const aKey = (id: string): EncryptionKey => ({ id, bytes: randomBytes(32) });
const payload = defaultPayloadConverter.toPayload({ title: 'Greet visitors by name' });
const text = (of: Uint8Array | null | undefined): string => Buffer.from(of ?? []).toString();

it('gives back what was sealed, and shows nothing of it but the key’s id', async () => {
  const codec = sealingCodec([aKey('2026-11')]);
  const [sealed] = await codec.encode([payload]);
  expect(text(sealed?.data)).not.toContain('Greet');
  expect(Object.entries(sealed?.metadata ?? {}).map(([name, value]) => [name, text(value)])).toEqual([
    ['encoding', 'binary/encrypted'],
    ['encryption-key-id', '2026-11'],
  ]);
  const [opened] = await codec.decode([sealed ?? payload]);
  expect(defaultPayloadConverter.fromPayload(opened ?? {})).toEqual({ title: 'Greet visitors by name' });
});

it('never seals the same thing to the same bytes', async () => {
  const [one, other] = await sealingCodec([aKey('k')]).encode([payload, payload]);
  expect(text(one?.data)).not.toBe(text(other?.data));
});

it('opens what older keys have sealed, and what was written before there was one', async () => {
  const [old, young] = [aKey('old'), aKey('young')];
  const [sealed] = await sealingCodec([old]).encode([payload]);
  const rotated = sealingCodec([young, old]);
  for (const [opened] of [await rotated.decode([sealed ?? {}]), await rotated.decode([payload])])
    expect(defaultPayloadConverter.fromPayload(opened ?? {})).toEqual({ title: 'Greet visitors by name' });
  const [again] = await rotated.encode([payload]);
  expect(text(again?.metadata?.['encryption-key-id'])).toBe('young');
});

it('says which key is missing', async () => {
  const [sealed] = await sealingCodec([aKey('old')]).encode([payload]);
  await expect(sealingCodec([aKey('young')]).decode([sealed ?? {}])).rejects.toThrow(
    'sealed with the key "old", which is not among TEMPORAL_ENCRYPTION_KEYS',
  );
});

it('opens nothing that somebody has changed, not even the key’s id', async () => {
  const [one, other] = [aKey('one'), aKey('other')];
  const codec = sealingCodec([one, { ...other, bytes: one.bytes }]);
  const [sealed] = await codec.encode([payload]);
  const data = Uint8Array.from(sealed?.data ?? []);
  data[20] = (data[20] ?? 0) ^ 1;
  await expect(codec.decode([{ ...sealed, data }])).rejects.toThrow('unable to authenticate data');
  const metadata = { ...sealed?.metadata, 'encryption-key-id': Buffer.from('other') };
  await expect(codec.decode([{ ...sealed, metadata }])).rejects.toThrow('unable to authenticate data');
  await expect(codec.decode([{ ...sealed, data: data.subarray(0, 10) }])).rejects.toThrow(/Invalid|authenticate/);
});
