import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { BackupName } from '../../src/rules/backups/kinds.ts';

type BackupRef = { backup: string };

/** The parts of an archive, in order, are one file for `age` and `tar`. */
export const partsPrefix = ({ backup }: BackupRef): string => `${backup}/`;
export const partKey = (ref: BackupRef, number: number): string =>
  `${partsPrefix(ref)}${String(number).padStart(6, '0')}.age`;

/** Returns whether a blob is a part of an archive, which the blobs contain if they share a bucket with the backups. */
export function isPartKey(key: string): boolean {
  const [backup, part = ''] = key.split('/').slice(-2);
  return BackupName.safeParse(backup).success && /^\d{6,}\.age$/.test(part);
}

/** Reads the parts of an archive in order, until the first that does not exist. */
export async function* readParts(backups: Blobs, ref: BackupRef): AsyncGenerator<Uint8Array> {
  for (let number = 1; ; number += 1) {
    const bytes = await backups.find(partKey(ref, number));
    if (bytes === undefined) return;
    yield bytes;
  }
}
