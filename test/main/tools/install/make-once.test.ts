import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeOnce } from '../../../../src/main/tools/install/make-once.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

it('creates the target once for concurrent callers, and removes the working folder', async () => {
  const cache = join(await createScratchFolder(), 'cache');
  let calls = 0;
  const create = async (workDir: string) => {
    calls += 1;
    await writeFile(join(workDir, 'program'), '');
    return { path: join(workDir, 'program') };
  };
  const target = join(cache, 'program');
  const tools = await Promise.all([1, 2].map(async () => await makeOnce(target, () => {}, create)));
  expect(tools).toEqual([{ path: target }, { path: target }]);
  expect(calls).toBe(1);
  expect(await readdir(cache)).toEqual(['program']);
});

it('leaves nothing behind when the creation fails', async () => {
  const cache = join(await createScratchFolder(), 'cache');
  const tool = await makeOnce(
    join(cache, 'program'),
    () => {},
    async () => ({ missing: 'no network' }),
  );
  expect(tool).toEqual({ missing: 'no network' });
  expect(await readdir(cache)).toEqual([]);
});

it('names the setting of the cache when its folder cannot be written', async () => {
  const home = await createScratchFolder();
  await writeFile(join(home, '.cache'), 'a file in place of the folder');
  const making = makeOnce(
    join(home, '.cache', 'tools', 'program'),
    () => {},
    async () => ({ missing: 'not reached' }),
  );
  await expect(making).rejects.toThrow(
    /^The folder .*\.cache\/tools cannot be written \(.*\)\. Make it writable, or select another cache with XDG_CACHE_HOME\.$/,
  );
});

it.runIf(process.platform === 'linux')(
  'names the setting of the cache where the system creates no folder',
  async () => {
    const making = makeOnce(
      '/proc/absent/tools/program',
      () => {},
      async () => ({ missing: 'not reached' }),
    );
    await expect(making).rejects.toThrow(/^The folder \/proc\/absent\/tools cannot be written .*XDG_CACHE_HOME/);
  },
);
