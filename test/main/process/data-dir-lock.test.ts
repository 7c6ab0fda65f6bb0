import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockDataDir } from '../../../src/main/process/data-dir-lock.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

const module = new URL('../../../src/main/process/data-dir-lock.ts', import.meta.url).href;

/** Locks the folder in another process. Resolves with that process, or with the message of its failure. */
async function lockElsewhere(folder: string): Promise<{ child: ChildProcess; message: string }> {
  const script = `const { lockDataDir } = await import(${JSON.stringify(module)});
    const lock = await lockDataDir(${JSON.stringify(folder)}, 8080).catch(({ message }) => console.log(message));
    if (lock) console.log('locked');
    setInterval(() => lock, 1000);`;
  const node = ['--input-type=module', '-e', script];
  const child = spawn(process.execPath, node, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, message: line.toString().trim() };
}

describe('lockDataDir', () => {
  it('can be locked again for the same port once it is released', async () => {
    const folder = await createScratchFolder();
    const lock = await lockDataDir(folder, 8080);
    expect(lock.isNew).toBe(true);
    await lock.release();
    const next = await lockDataDir(folder, 8080);
    expect(next.isNew).toBe(false);
    await next.release();
  });

  it('fails while another platform runs on the directory, and not after a kill', async () => {
    const folder = await createScratchFolder();
    const { child, message } = await lockElsewhere(folder);
    expect(message).toBe('locked');
    await expect(lockDataDir(folder, 8080)).rejects.toThrow(
      `A platform is running on ${folder} already (process ${child.pid}, port 8080). Stop it, or pass another`,
    );
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    const lock = await lockDataDir(folder, 8080);
    expect(lock.isNew).toBe(false);
    await lock.release();
  });

  it('is given once to platforms that start at the same time', async () => {
    const folder = await createScratchFolder();
    const started = await Promise.allSettled([1, 2, 3].map(async () => await lockDataDir(folder, 8080)));
    const locks = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]?.release();
  });

  it('is not held by a process that got the id of a killed platform', async () => {
    const folder = await createScratchFolder();
    const { child } = await lockElsewhere(await createScratchFolder());
    await writeFile(join(folder, 'platform.json'), JSON.stringify({ pid: child.pid, port: 8080 }));
    const lock = await lockDataDir(folder, 8080);
    expect(lock.isNew).toBe(false);
    await lock.release();
  });

  it('fails for another port, because stored addresses contain the port', async () => {
    const folder = await createScratchFolder();
    await (await lockDataDir(folder, 8080)).release();
    await expect(lockDataDir(folder, 9090)).rejects.toThrow('belongs to port 8080: pass --port 8080');
  });

  it('belongs to no port when the first start stored nothing', async () => {
    const folder = await createScratchFolder();
    await (await lockDataDir(folder, 8080)).abandon();
    const next = await lockDataDir(folder, 9090);
    expect(next.isNew).toBe(true);
    await next.release();
  });

  it('ignores a truncated file, which a killed process leaves', async () => {
    const folder = await createScratchFolder();
    await writeFile(join(folder, 'platform.json'), '{"pid":');
    const lock = await lockDataDir(folder, 8080);
    expect(lock.isNew).toBe(true);
    await lock.release();
  });
});
