import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { lockDataDir } from '../../../src/main/process/data-dir-lock.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

/** Starts a process whose command line looks like a platform's. */
async function startOtherPlatform(): Promise<number> {
  const script = "console.log('ready'); setInterval(() => {}, 1000)";
  const child = spawn(process.execPath, ['-e', script, 'src/main/platform/main.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

describe('lockDataDir', () => {
  it('can be locked again for the same port once it is released', async () => {
    const folder = await createScratchFolder();
    const lock = await lockDataDir(folder, 8080);
    expect(lock.isNew).toBe(true);
    await lock.release();
    await expect(lockDataDir(folder, 8080)).resolves.toMatchObject({ isNew: false });
  });

  it('fails while another platform runs on the directory', async () => {
    const folder = await createScratchFolder();
    const pid = await startOtherPlatform();
    await writeFile(join(folder, 'platform.json'), JSON.stringify({ pid, port: 8080 }));
    await expect(lockDataDir(folder, 8080)).rejects.toThrow(`process ${pid}, port 8080). Stop it`);
  });

  it('fails for another port, because stored addresses contain the port', async () => {
    const folder = await createScratchFolder();
    await (await lockDataDir(folder, 8080)).release();
    await expect(lockDataDir(folder, 9090)).rejects.toThrow('belongs to port 8080: pass --port 8080');
  });

  it('belongs to no port when the first start stored nothing', async () => {
    const folder = await createScratchFolder();
    await (await lockDataDir(folder, 8080)).abandon();
    await expect(lockDataDir(folder, 9090)).resolves.toMatchObject({ isNew: true });
  });

  it('ignores a truncated lock file and the lock of a process that exited', async () => {
    const folder = await createScratchFolder();
    await writeFile(join(folder, 'platform.json'), '{"pid":');
    await (await lockDataDir(folder, 8080)).release();
    const child = spawn('true');
    await once(child, 'exit');
    await writeFile(join(folder, 'platform.json'), JSON.stringify({ pid: child.pid, port: 8080 }));
    await expect(lockDataDir(folder, 8080)).resolves.toMatchObject({ isNew: false });
  });
});
