import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { isExecutable } from './find-on-path.ts';
import { withFolderLock } from './folder-lock.mjs';
import type { Progress, Tool } from './tool.ts';

/**
 * Makes a program in a folder of its own and puts it in place in one step, so that nobody ever sees half of one;
 * of two processes that need it at once, the second waits and takes what the first made.
 */
export async function makeOnce(
  target: string,
  onProgress: Progress,
  make: (workDir: string) => Promise<Tool>,
): Promise<Tool> {
  await mkdir(dirname(target), { recursive: true });
  const onWait = () => onProgress(`Another process is getting ${basename(target)}; waiting for it`);
  return withFolderLock(`${target}.lock`, () => makeAlone(target, make), onWait);
}

async function makeAlone(target: string, make: (workDir: string) => Promise<Tool>): Promise<Tool> {
  if (await isExecutable(target)) return { path: target };
  // Always the same folder: whoever comes after one that was killed clears up behind it.
  const workDir = `${target}.making`;
  await rm(workDir, { recursive: true, force: true });
  await mkdir(workDir);
  try {
    const made = await make(workDir);
    if ('missing' in made) return made;
    await rename(made.path, target);
    return { path: target };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
