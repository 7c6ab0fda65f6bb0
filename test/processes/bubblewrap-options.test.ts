import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isolationOptions, readOnlyIfExists, systemFolderOptions } from '../../src/processes/bubblewrap-options.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';

it('mounts the system folders that the host has, each as the folder or the link that it is', () => {
  const options = systemFolderOptions();
  const followed = (flag: string): string[][] =>
    options.flatMap((option, index) => (option === flag ? [options.slice(index + 1, index + 3)] : []));
  const mounts = followed('--ro-bind');
  const links = followed('--symlink');
  for (const [source = '', target] of mounts) {
    expect(source).toBe(target);
    expect(lstatSync(source).isDirectory(), source).toBe(true);
  }
  for (const [target = '', path = ''] of links) {
    expect(lstatSync(path).isSymbolicLink(), path).toBe(true);
    expect(existsSync(join('/', target)), target).toBe(true);
  }
  const targets = [...mounts, ...links].map(([, path]) => path);
  expect(targets).toEqual(expect.arrayContaining(['/usr', '/bin', '/lib']));
  expect(followed('--proc').length + followed('--dev').length).toBe(2);
});

it('mounts a path only when it exists', async () => {
  const folder = await createScratchFolder();
  expect(readOnlyIfExists(folder)).toEqual(['--ro-bind', folder, folder]);
  expect(readOnlyIfExists(join(folder, 'missing'))).toEqual([]);
});

it('gives a program no variable but the given ones', () => {
  const options = isolationOptions('box', { PATH: '/usr/bin', HOME: '/home' });
  expect(options.join(' ')).toMatch(/--hostname box --clearenv --setenv PATH \/usr\/bin --setenv HOME \/home$/);
  expect(options).toEqual(expect.arrayContaining(['--unshare-all', '--die-with-parent', '--new-session']));
});
