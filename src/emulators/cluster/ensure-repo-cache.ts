import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Each repo of an org has its own cache, so that no org can change the packages of another one. */
export async function ensureRepoCache(
  cacheDir: string,
  { namespace, repoUrl }: { namespace: string; repoUrl: string },
): Promise<string> {
  const key = createHash('sha256').update(`${namespace}\0${repoUrl}`).digest('hex').slice(0, 16);
  const folder = join(cacheDir, key);
  await mkdir(folder, { recursive: true });
  return folder;
}
