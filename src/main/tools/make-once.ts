import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { withFolderLock } from './folder-lock.mjs';
import type { Progress, Tool } from './tool.ts';

/**
 * Makes a program, or a folder of programs, in a working folder and renames it to its target in one step, so that an
 * existing target is always complete. Of two processes that need it at once, the second waits for the first.
 */
export async function makeOnce(
  target: string,
  onProgress: Progress,
  make: (workDir: string) => Promise<Tool>,
): Promise<Tool> {
  if (await exists(target)) return { path: target };
  await mkdir(dirname(target), { recursive: true });
  const onWait = () => onProgress(`Another process is getting ${basename(target)}; waiting for it`);
  return withFolderLock(`${target}.lock`, () => makeAlone(target, make), onWait);
}

async function makeAlone(target: string, make: (workDir: string) => Promise<Tool>): Promise<Tool> {
  if (await exists(target)) return { path: target };
  // The name is fixed, so a later process removes what a killed one left.
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

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
