import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'hono';
import { COMPRESSIBLE_CONTENT_TYPE_REGEX } from 'hono/compress';
import { matchesRepresentation, parseEntityTags, toEntityTag } from './entity-tags.ts';
import { acceptedCoding } from './negotiate.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Below this size compression does not save a network packet. */
const compressionMinBytes = 1_400;

/** The qualities cost less time than the bytes they save take on a network; the work is done outside the event loop. */
const compressors: Record<string, (body: Bytes) => Promise<Bytes>> = {
  br: async (body) =>
    await promisify(brotliCompress)(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: async (body) => await promisify(gzip)(body, { level: 4 }),
};
const codings = [...Object.keys(compressors), 'identity'];

type Encoded = { body: Bytes; headers: Record<string, string> };

/** The bytes of a response, which remember their digest and their compressed forms for the next request. */
export class Representation {
  readonly body: Bytes;
  readonly type: string;
  readonly #version: string | undefined;
  #digest: string | undefined;
  readonly #compressed = new Map<string, Promise<Bytes>>();

  constructor(body: Bytes, { type, version }: { type: string; version?: string | undefined }) {
    this.body = body;
    this.type = type;
    this.#version = version;
  }

  entityTag(coding?: string): string {
    this.#digest ??= hash('sha256', this.body, 'base64url').slice(0, 22);
    return toEntityTag(this.#digest, { version: this.#version, ...(coding !== undefined && { coding }) });
  }

  /** Returns the body in the coding that the caller prefers, with the headers that describe it. */
  async encode(c: Context): Promise<Encoded> {
    const isCompressible = this.body.length >= compressionMinBytes && COMPRESSIBLE_CONTENT_TYPE_REGEX.test(this.type);
    const coding = isCompressible ? acceptedCoding(c, codings) : undefined;
    const compress = compressors[coding ?? ''];
    if (coding === undefined || compress === undefined) return { body: this.body, headers: { ETag: this.entityTag() } };
    const compressed = this.#compressed.get(coding) ?? compress(this.body);
    this.#compressed.set(coding, compressed);
    return { body: await compressed, headers: { ETag: this.entityTag(coding), 'Content-Encoding': coding } };
  }
}

/** Returns whether the caller has the same bytes already, in any coding. */
export function hasCurrentCopy(c: Context, representation: Representation): boolean {
  const tags = parseEntityTags(c, 'If-None-Match');
  return tags !== undefined && matchesRepresentation(tags, representation.entityTag());
}

/** The choice of the body depends on these headers of the request. */
export const varyHeaders = { Vary: 'Accept, Accept-Encoding' };
