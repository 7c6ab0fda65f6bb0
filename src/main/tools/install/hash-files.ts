import { createHash } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Hashes the names and contents of the files that match, for the name of what is built from them: 32 hex digits. */
export async function hashFiles(folder: string, patterns: readonly string[]): Promise<string> {
  const files = await Array.fromAsync(glob([...patterns], { cwd: folder }));
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(file)
      .update('\0')
      .update(await readFile(join(folder, file)));
  return hash.digest('hex').slice(0, 32);
}
