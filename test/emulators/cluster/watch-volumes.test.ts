import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { measureVolumes, watchVolumes } from '../../../src/emulators/cluster/watch-volumes.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const mebibyte = 1024 ** 2;

it('names the volume that exceeds its size', async () => {
  const [host, other] = [await createScratchFolder(), await createScratchFolder()];
  const full = Promise.withResolvers<string>();
  const volumes = [
    { name: 'data', host, inside: '/data', bytes: 4 * mebibyte },
    { name: 'other', host: other, inside: '/other', bytes: mebibyte },
  ];
  const { stop } = watchVolumes(await measureVolumes(volumes), full.resolve);
  onTestFinished(stop);
  await writeFile(join(host, 'big'), Buffer.alloc(8 * mebibyte, 'x'));
  expect(await full.promise).toBe('The volume "data" is full: it holds at most 4194304 bytes and 256 files.');
});
