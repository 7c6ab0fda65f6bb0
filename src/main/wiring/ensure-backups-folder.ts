import type { Config } from '../../config.ts';
import { createWritableFolder } from '../tools/install/create-folder.ts';

/** Throws when backups cannot be written: the first one may run on a schedule, when no person reads its failure. */
export async function ensureBackupsFolder({ bucket, directory }: Config['backups']): Promise<void> {
  if (bucket === undefined) await createWritableFolder(directory, 'Set another BACKUPS_DIR.');
}
