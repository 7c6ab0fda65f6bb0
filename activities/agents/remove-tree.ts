import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';

const programs = { env: { PATH: '/usr/bin:/bin' } };

/** Removes a folder whatever was left in it: paths longer than the system takes, or that nobody may enter. */
export async function removeTree(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true });
  } catch {
    await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', folder], programs).catch(() => undefined);
    await promisify(execFile)('rm', ['-rf', '--', folder], programs);
  }
}
