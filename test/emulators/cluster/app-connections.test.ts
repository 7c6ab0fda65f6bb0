import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openAppConnections, removeStaleSocketFolders } from '../../../src/emulators/cluster/app-connections.ts';

it('removes the sockets of a killed platform, and keeps those of platforms that run', async () => {
  const killed = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const createFolder = async (name: string): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), name));
    onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'requests.sock'), '');
    return folder;
  };
  const stale = await createFolder(`zone-${killed.pid}-`);
  const foreign = await createFolder('zone-of-mine-');
  const own = await openAppConnections();
  onTestFinished(own.close);

  await removeStaleSocketFolders();
  expect([stale, foreign, own.socketDir].map((folder) => existsSync(folder))).toEqual([true, true, true]);

  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await removeStaleSocketFolders();
  expect([stale, foreign, own.socketDir].map((folder) => existsSync(folder))).toEqual([false, true, true]);
});
