import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { createPathWith } from '../../support/create-path-with.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('finds the first program with the name, and ignores folders', async () => {
  const cache = await createScratchFolder();
  await mkdir(join(cache, 'promtool'));
  const bin = await createPathWith({ promtool: 'exit 0' });
  expect(await findOnPath('promtool', { PATH: cache })).toBeUndefined();
  expect(await findOnPath('promtool', { PATH: [cache, bin].join(delimiter) })).toBe(join(bin, 'promtool'));
});
