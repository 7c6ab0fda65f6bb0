import { createHash } from 'node:crypto';

/** Archives of another format are refused. */
export const formatVersion = 1;
export const manifestName = 'manifest.json';
export const contentsName = 'contents.json';

/** Objects are `objects/<kind>/<namespace>/<name>.json`, and blobs are `blobs/<key>`. */
export type ArchiveEntry = { name: string; bytes: Uint8Array };

/** Digests the names, sizes and bytes of entries in their order. */
export function createEntryDigest(): {
  add(entry: ArchiveEntry): void;
  finish(): { count: number; sha256: string };
} {
  const hash = createHash('sha256');
  let count = 0;
  return {
    add({ name, bytes }) {
      count += 1;
      hash.update(`${JSON.stringify([name, bytes.byteLength])}\n`).update(bytes);
    },
    finish: () => ({ count, sha256: hash.digest('hex') }),
  };
}
