import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { acquireWorkDir } from '../../../src/main/process/work-dir-lock.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

it('gives each process a separate folder, and reuses the folder of a killed process', async () => {
  const parent = await createScratchFolder();
  const module = new URL('../../../src/main/process/work-dir-lock.ts', import.meta.url).href;
  const script = `const { acquireWorkDir } = await import(${JSON.stringify(module)});
    const workDir = await acquireWorkDir(${JSON.stringify(parent)});
    console.log(workDir.path);
    setInterval(() => workDir, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(other.stdout, 'data')) as [Buffer];
  expect(basename(line.toString().trim())).toBe('0');

  const mine = await acquireWorkDir(parent);
  expect(basename(mine.path)).toBe('1');
  const exited = once(other, 'exit');
  other.kill('SIGKILL');
  await exited;
  const next = await acquireWorkDir(parent);
  expect(basename(next.path)).toBe('0');
  expect(next.name).not.toBe(mine.name);
  mine.release();
  const again = await acquireWorkDir(parent);
  expect([again.path, again.name]).toEqual([mine.path, mine.name]);
  next.release();
  again.release();
});
