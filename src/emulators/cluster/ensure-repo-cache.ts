import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { markAsUsed } from './prune-caches.ts';

/**
 * Returns the cache of a repo, and marks it as used. Each repo of an org has its own, so that no org can change the
 * packages of another one.
 */
export async function ensureRepoCache(
  cacheDir: string,
  { namespace, repoUrl }: { namespace: string; repoUrl: string },
): Promise<string> {
  const key = createHash('sha256').update(`${namespace}\0${repoUrl}`).digest('hex').slice(0, 16);
  const folder = join(cacheDir, key);
  await mkdir(folder, { recursive: true });
  await markAsUsed(folder);
  return folder;
}
