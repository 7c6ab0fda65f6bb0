import { chmod, copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type Attack, testAttacks } from './attacks.ts';

/** Another user can read a file when every folder of the data directory on its way and the file itself let them. */
async function isReadableByOthers(file: string, root: string): Promise<boolean> {
  const { mode } = await stat(file);
  if ((mode & 0o004) === 0) return false;
  for (let folder = dirname(file); folder.startsWith(root); folder = dirname(folder))
    if (((await stat(folder)).mode & 0o001) === 0) return false;
  return true;
}

/** Copies a file with the usual modes of an open folder and file. */
async function isReadableInOpenFolder(file: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'open-'));
  try {
    const copy = join(folder, 'data', basename(file));
    await mkdir(dirname(copy), { mode: 0o755 });
    await copyFile(file, copy);
    await chmod(copy, 0o644);
    return await isReadableByOthers(copy, dirname(copy));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const file = (name: string, path: string): Attack => ({
  name: `another user of the machine reads ${name}`,
  attempt: async ({ dataDir }) => await isReadableByOthers(join(dataDir, path), dataDir),
  counter: async ({ dataDir }) => await isReadableInOpenFolder(join(dataDir, path)),
});

testAttacks('files', [
  file('the store', 'store.sqlite'),
  file('the token of the code host', 'codehost/token'),
  file('the webhook secrets of the code host', 'codehost/codehost.sqlite'),
  file('a private repo', 'codehost/repos/acme/shop.git/HEAD'),
  file('the histories of workflows', 'temporal/temporal.db'),
  file('the key of the Temporal server', 'temporal/credentials/client.key'),
  file('the secret of the Web UI', 'temporal/credentials/ui-secret'),
  file('the log', 'logs/service.log'),
]);
