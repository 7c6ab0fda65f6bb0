import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const programs = { env: { PATH: '/usr/bin:/bin' } };

/** Removes a folder even when it contains paths that are too long for the system, or folders without permissions. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', folder], programs).catch(() => undefined);
    await promisify(execFile)('rm', ['-rf', '--', folder], programs);
  }
}
