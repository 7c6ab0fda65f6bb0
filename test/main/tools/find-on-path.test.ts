import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { pathWith, scratchFolder } from '../../support/programs.ts';

it('finds the first program of that name, and never a folder', async () => {
  const cache = await scratchFolder();
  await mkdir(join(cache, 'promtool'));
  const bin = await pathWith({ promtool: 'exit 0' });
  expect(await findOnPath('promtool', { PATH: cache })).toBeUndefined();
  expect(await findOnPath('promtool', { PATH: [cache, bin].join(delimiter) })).toBe(join(bin, 'promtool'));
});
