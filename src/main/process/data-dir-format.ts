import { chmod, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFolder } from '../tools/install/create-folder.ts';

/** The format of the files in the data directory. Increase it when this version cannot read what earlier ones wrote. */
export const dataDirFormat = 1;

const formatFile = 'format';

/**
 * Throws when another program, or another version of the service, wrote the data directory. Marks an empty directory with
 * the format, and lets no other user of the machine into the directory.
 */
export async function ensureDataDirFormat(folder: string): Promise<void> {
  const entries = await openFolder(folder);
  const format = await readFormat(join(folder, formatFile));
  const isCurrent = format === String(dataDirFormat);
  if (!isCurrent && entries.some((name) => name !== formatFile))
    throw new Error(
      entries.includes(formatFile)
        ? `The data directory ${folder} was written by another version of the service (its format is ${format ?? 'unknown'}, this version uses ${dataDirFormat}). Delete or move it to start over, or pass another with --data-dir.`
        : `The folder ${folder} has files that the service did not write. Pass an empty or a new folder with --data-dir.`,
    );
  try {
    // The folder may be older than its mode.
    await chmod(folder, 0o700);
    if (!isCurrent) await writeFile(join(folder, formatFile), `${dataDirFormat}\n`);
  } catch (error) {
    throw new Error(
      `The data directory ${folder} cannot be written (${(error as Error).message}). Pass another with --data-dir.`,
    );
  }
}

async function openFolder(folder: string): Promise<string[]> {
  try {
    await createFolder(folder, 0o700);
    return await readdir(folder);
  } catch (error) {
    throw new Error(
      `The data directory ${folder} cannot be used (${(error as Error).message}). Pass another with --data-dir.`,
    );
  }
}

async function readFormat(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || undefined;
}
