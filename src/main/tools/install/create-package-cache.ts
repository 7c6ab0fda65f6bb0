import { createWritableFolder } from './create-folder.ts';

/** Creates a folder of what is built once from the sources, with the packages. */
export async function createPackageCache(folder: string): Promise<void> {
  await createWritableFolder(folder, 'Start as the user who owns the packages, or let this user write there.');
}
