import { access, constants, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder with its parents. Node's own recursion never ends where a parent exists and the system still reports a
 * missing one, such as in `/proc`.
 */
export async function createFolder(folder: string, mode?: number): Promise<void> {
  if (await isFolder(folder)) return;
  if (!(await isFolder(dirname(folder)))) await createFolder(dirname(folder), mode);
  try {
    await mkdir(folder, mode);
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!(await isFolder(folder))) throw error;
  }
}

/** Creates a folder that this process can write to. Throws with the fix otherwise. */
export async function createWritableFolder(folder: string, fix: string): Promise<void> {
  try {
    await createFolder(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new Error(`The folder ${folder} cannot be written (${(error as Error).message}). ${fix}`);
  }
}

const isFolder = async (path: string): Promise<boolean> =>
  await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
