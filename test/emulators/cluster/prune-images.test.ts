import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type ImageStore, openImageStore } from '../../../src/emulators/cluster/image-store.ts';
import { keptBuilds, pruneImages } from '../../../src/emulators/cluster/prune-images.ts';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { openTestStore } from '../../support/open-test-store.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const namespace = 'org-acme';

/** Builds images of an app whose packages stay the same. */
async function createHarness() {
  const root = await createScratchFolder();
  const store = openTestStore();
  const images: ImageStore = await openImageStore(root);
  const build = async (product: string, number: number): Promise<string> => {
    const { folder, rootfs } = await images.createWorkspace();
    await mkdir(join(rootfs, 'node_modules'));
    await writeFile(join(rootfs, 'node_modules/package.js'), 'the package');
    await writeFile(join(rootfs, 'app.js'), `${product} ${number}`);
    const { digest } = await images.save(folder, { startCommand: 'node .', commit: 'c'.repeat(40) });
    const metadata = { namespace, name: `${product}-${number}` };
    const source = { type: 'Git' as const, git: { url: 'https://code.test', revision: 'c'.repeat(40) } };
    const strategy = { name: 'buildpacks', kind: 'ClusterBuildStrategy' as const };
    const output = { image: `registry.local:5000/acme/${product}:v0.${number}.0` };
    await store.create(BuildRunKind, { metadata, spec: { build: { spec: { source, strategy, output } } } });
    const completionTime = new Date(Date.UTC(2027, 0, 1, 0, number)).toISOString();
    await store.updateStatus(BuildRunKind, metadata, () => ({ completionTime, output: { digest } }));
    return digest;
  };
  const prune = async (used: string[] = []): Promise<string[]> => {
    await pruneImages({ store, images, listUsedDigests: async () => used });
    return await images.listDigests();
  };
  return { root, store, build, prune };
}

it('keeps the newest images of each Product and those that zones use, however many Changes there are', async () => {
  const { root, build, prune } = await createHarness();
  const other = await build('other', 1);
  const digests: string[] = [];
  const countFiles = async (): Promise<number> => (await readdir(join(root, 'image-files'))).length;
  const counts: number[] = [];
  for (let number = 1; number <= keptBuilds + 10; number += 1) {
    digests.push(await build('shop', number));
    await prune([digests[2] ?? '']);
    counts.push(await countFiles());
  }
  const kept = [other, digests[2] ?? '', ...digests.slice(-keptBuilds)];
  expect(await prune([digests[2] ?? ''])).toEqual(kept.toSorted());
  // One file of packages is shared, and each image has one of its own.
  expect(Math.max(...counts)).toBe(kept.length + 1);
  expect(counts.slice(-5)).toEqual(Array.from({ length: 5 }, () => kept.length + 1));
});

it('removes the images of deleted builds, unless a zone still uses them', async () => {
  const { store, build, prune } = await createHarness();
  const [first, second] = [await build('shop', 1), await build('shop', 2)];
  await store.delete(BuildRunKind, { namespace, name: 'shop-1' });
  await store.delete(BuildRunKind, { namespace, name: 'shop-2' });
  expect(await prune([second])).toEqual([second]);
  expect(first).not.toBe(second);
  expect(await prune()).toEqual([]);
});
