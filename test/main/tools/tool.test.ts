import { homedir } from 'node:os';
import { expect, it } from 'vitest';
import { toolCacheDir } from '../../../src/main/tools/tool.ts';

it.each([
  [{ XDG_CACHE_HOME: '/caches', HOME: '/home/ada' }, '/caches/delivery-platform'],
  [{ XDG_CACHE_HOME: 'caches', HOME: '/home/ada' }, '/home/ada/.cache/delivery-platform'],
  [{ XDG_CACHE_HOME: '', HOME: '/home/ada' }, '/home/ada/.cache/delivery-platform'],
  [{}, `${homedir()}/.cache/delivery-platform`],
])('keeps the programs of %j in %s', (environment, folder) => {
  expect(toolCacheDir(environment)).toBe(folder);
});
