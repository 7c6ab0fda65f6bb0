import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFolderLock } from '../../../src/main/tools/folder-lock.mjs';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function createAbandonedLock(pid: number): Promise<string> {
  const folder = join(await createScratchFolder(), 'lock');
  await mkdir(folder);
  await writeFile(join(folder, 'owner'), String(pid));
  return folder;
}

describe('withFolderLock', () => {
  it('runs one task at a time', async () => {
    const folder = join(await createScratchFolder(), 'lock');
    let running = 0;
    let maxRunning = 0;
    const task = async () => {
      maxRunning = Math.max(maxRunning, ++running);
      await new Promise(setImmediate);
      running -= 1;
    };
    await Promise.all([withFolderLock(folder, task), withFolderLock(folder, task), withFolderLock(folder, task)]);
    expect(maxRunning).toBe(1);
    expect(existsSync(folder)).toBe(false);
  });

  it('is released after a task that failed', async () => {
    const folder = join(await createScratchFolder(), 'lock');
    await expect(withFolderLock(folder, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await withFolderLock(folder, () => Promise.resolve('done'))).toBe('done');
  });

  it('acquires the lock of a killed process', async () => {
    const { pid } = spawnSync('true');
    expect(await withFolderLock(await createAbandonedLock(pid), () => Promise.resolve('done'))).toBe('done');
  });

  it('acquires a lock without heartbeats for 30 seconds, even if its process id is in use', async () => {
    const folder = await createAbandonedLock(process.ppid);
    const longAgo = new Date(Date.now() - 40_000);
    await utimes(folder, longAgo, longAgo);
    expect(await withFolderLock(folder, () => Promise.resolve('done'))).toBe('done');
  });
});
