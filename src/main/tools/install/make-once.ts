import { access, mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { withFolderLock } from '../folder-lock.mjs';
import type { Progress, Tool } from '../tool.ts';
import { createWritableFolder } from './create-folder.ts';

/**
 * Creates a program, or a folder of programs, in a working folder and renames it to its target in one step, so that an
 * existing target is always complete. A second process that needs it at the same time waits for the first.
 */
export async function makeOnce(
  target: string,
  onProgress: Progress,
  make: (workDir: string) => Promise<Tool>,
): Promise<Tool> {
  if (await exists(target)) return { path: target };
  // The home of a service account is often not writable, and a folder that root has created is not either.
  await createWritableFolder(dirname(target), 'Make it writable, or select another cache with XDG_CACHE_HOME.');
  const onWait = () => onProgress(`Another process is installing ${basename(target)}; waiting for it`);
  return withFolderLock(`${target}.lock`, () => makeWithLock(target, make), onWait);
}

async function makeWithLock(target: string, make: (workDir: string) => Promise<Tool>): Promise<Tool> {
  if (await exists(target)) return { path: target };
  // The fixed name lets a later process remove the leftovers of a killed one.
  const workDir = `${target}.making`;
  await rm(workDir, { recursive: true, force: true });
  await mkdir(workDir);
  try {
    const created = await make(workDir);
    if ('missing' in created) return created;
    await rename(created.path, target);
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
