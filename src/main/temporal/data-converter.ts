import { fileURLToPath } from 'node:url';
import type { DataConverter } from '@temporalio/common';
import { type EncryptionKey, createEncryptionCodec } from './encryption-codec.ts';

export const failureConverterPath = fileURLToPath(new URL('../../../workflows/failure-converter.ts', import.meta.url));

/** Returns the converter that clients and workers must share, or undefined when payloads are not encrypted. */
export const createDataConverter = (keys: readonly EncryptionKey[]): DataConverter | undefined =>
  keys.length === 0 ? undefined : { payloadCodecs: [createEncryptionCodec(keys)], failureConverterPath };
