import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

type Holder = { pid: number; port: number };

/**
 * Makes the data directory this process's own until the answered function is called. Two platforms on one directory
 * would answer for each other, and one made for another port holds addresses that lead elsewhere.
 */
export async function holdDataDir(folder: string, port: number): Promise<() => Promise<void>> {
  const file = join(folder, 'platform.json');
  await mkdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Error(`The data directory ${folder} cannot be used (${error.message}). Pass another with --data-dir.`);
  });
  const before = await readHolder(file);
  if (before && before.pid !== process.pid && (await isPlatform(before.pid)))
    throw new Error(
      `A platform is running on ${folder} already (process ${before.pid}, port ${before.port}). Stop it, or pass another --data-dir.`,
    );
  if (before && before.port !== port)
    throw new Error(
      `The data directory ${folder} belongs to port ${before.port}: pass --port ${before.port}, or another --data-dir.`,
    );
  await writeFile(file, JSON.stringify({ pid: process.pid, port } satisfies Holder)).catch((error: Error) => {
    throw new Error(`The data directory ${folder} cannot be written (${error.message}). Pass another with --data-dir.`);
  });
  return async () =>
    await writeFile(file, JSON.stringify({ pid: 0, port } satisfies Holder)).catch(() => rm(file, { force: true }));
}

/** Half a file is what a death in the middle of writing leaves: it names nobody. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** A number is not enough: the process that has it now may be anybody's. */
async function isPlatform(pid: number): Promise<boolean> {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => 'src/main/');
  return commandLine.includes('src/main/');
}
