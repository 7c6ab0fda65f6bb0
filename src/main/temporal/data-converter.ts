import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { type EncryptionKey, sealingCodec } from './payload-codec.ts';

export const failureConverterPath = fileURLToPath(new URL('../../../workflows/failure-converter.ts', import.meta.url));

/** What all who speak of workflows have to agree on; nothing where nothing is sealed. */
export const dataConverter = (keys: readonly EncryptionKey[]): DataConverter | undefined =>
  keys.length === 0 ? undefined : { payloadCodecs: [sealingCodec(keys)], failureConverterPath };
