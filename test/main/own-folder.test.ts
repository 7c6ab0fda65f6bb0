import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { takeOwnFolder } from '../../src/main/own-folder.ts';
import { scratchFolder } from '../support/programs.ts';

it('gives each process a folder of its own, and that of one that was killed to the next', async () => {
  const parent = await scratchFolder();
  const module = new URL('../../src/main/own-folder.ts', import.meta.url).href;
  const take = `const { takeOwnFolder } = await import(${JSON.stringify(module)});
    const own = await takeOwnFolder(${JSON.stringify(parent)});
    console.log(own.path);
    setInterval(() => own, 1000);`;
  const other = spawn(process.execPath, ['--input-type=module', '-e', take], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(other.stdout, 'data')) as [Buffer];
  expect(basename(line.toString().trim())).toBe('0');

  const mine = await takeOwnFolder(parent);
  expect(basename(mine.path)).toBe('1');
  const ended = once(other, 'exit');
  other.kill('SIGKILL');
  await ended;
  const next = await takeOwnFolder(parent);
  expect(basename(next.path)).toBe('0');
  expect(next.name).not.toBe(mine.name);
  mine.release();
  const again = await takeOwnFolder(parent);
  expect([again.path, again.name]).toEqual([mine.path, mine.name]);
  next.release();
  again.release();
});
