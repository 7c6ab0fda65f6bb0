import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFolderLock } from '../../../src/main/tools/folder-lock.mjs';
import { scratchFolder } from '../../support/programs.ts';

async function leftBy(pid: number): Promise<string> {
  const folder = join(await scratchFolder(), 'lock');
  await mkdir(folder);
  await writeFile(join(folder, 'owner'), String(pid));
  return folder;
}

describe('withFolderLock', () => {
  it('lets one task at a time run', async () => {
    const folder = join(await scratchFolder(), 'lock');
    let running = 0;
    let most = 0;
    const task = async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running -= 1;
    };
    await Promise.all([withFolderLock(folder, task), withFolderLock(folder, task), withFolderLock(folder, task)]);
    expect(most).toBe(1);
    expect(existsSync(folder)).toBe(false);
  });

  it('is free again after a task that failed', async () => {
    const folder = join(await scratchFolder(), 'lock');
    await expect(withFolderLock(folder, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(await withFolderLock(folder, () => Promise.resolve('mine'))).toBe('mine');
  });

  it('takes over from a process that was killed', async () => {
    const { pid } = spawnSync('true');
    expect(await withFolderLock(await leftBy(pid), () => Promise.resolve('mine'))).toBe('mine');
  });

  it('takes over from a holder that has been silent for half a minute, whoever has its id now', async () => {
    const folder = await leftBy(process.ppid);
    const longAgo = new Date(Date.now() - 40_000);
    await utimes(folder, longAgo, longAgo);
    expect(await withFolderLock(folder, () => Promise.resolve('mine'))).toBe('mine');
  });
});
