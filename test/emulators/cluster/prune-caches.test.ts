import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureRepoCache } from '../../../src/emulators/cluster/ensure-repo-cache.ts';
import { createCachePruner } from '../../../src/emulators/cluster/prune-caches.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const mebibyte = 1024 ** 2;

/** Has room for three caches of 1 MiB with their folders. */
async function createHarness() {
  const root = await createScratchFolder();
  const [npm, go] = [join(root, 'npm'), join(root, 'go')];
  for (const folder of [npm, go]) await mkdir(folder);
  const use = async (parent: string, repo: string, mebibytes = 0): Promise<string> => {
    const folder = await ensureRepoCache(parent, { namespace: 'org-acme', repoUrl: repo });
    if (mebibytes > 0) {
      await mkdir(join(folder, 'content'), { recursive: true });
      await writeFile(join(folder, 'content', String(mebibytes)), Buffer.alloc(mebibytes * mebibyte, 'x'));
    }
    return folder;
  };
  const list = async (): Promise<string[]> =>
    (await Promise.all([npm, go].map(async (at) => (await readdir(at)).map((name) => join(at, name))))).flat();
  return { npm, go, use, list, prune: createCachePruner([npm, go, join(root, 'none')], 3.5 * mebibyte) };
}

it('removes the caches of repos that were built longest ago, of all kinds together', async () => {
  const { npm, go, use, list, prune } = await createHarness();
  const [first, second, third] = [await use(npm, 'a', 1), await use(go, 'b', 1), await use(npm, 'c', 1)];
  await prune();
  expect((await list()).toSorted()).toEqual([first, second, third].toSorted());
  // The first is used once more, so the second is the oldest when there are four.
  await use(npm, 'a');
  const fourth = await use(go, 'd', 1);
  await prune();
  expect((await list()).toSorted()).toEqual([first, third, fourth].toSorted());
});

it('measures a cache again after a build has used it, and removes it for its own size only', async () => {
  const { npm, use, list, prune } = await createHarness();
  const small = await use(npm, 'a', 1);
  const large = await use(npm, 'b', 1);
  await prune();
  expect(await use(npm, 'b', 4)).toBe(large);
  await prune();
  expect(await list()).toEqual([small]);
});
