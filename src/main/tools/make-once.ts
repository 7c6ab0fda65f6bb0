import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
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
  const folder = dirname(target);
  await mkdir(folder, { recursive: true });
  const onWait = sayOnce(onProgress, `Another process is getting ${basename(target)}; waiting for it`);
  return withFolderLock(`${target}.lock`, () => makeAlone(target, make), onWait);
}

async function makeAlone(target: string, make: (workDir: string) => Promise<Tool>): Promise<Tool> {
  if (await isExecutable(target)) return { path: target };
  const workDir = await mkdtemp(join(dirname(target), 'making-'));
  try {
    const made = await make(workDir);
    if ('missing' in made) return made;
    await rename(made.path, target);
    return { path: target };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function sayOnce(say: Progress, message: string): () => void {
  let said = false;
  return () => {
    if (!said) say(message);
    said = true;
  };
}
