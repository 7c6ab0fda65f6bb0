import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { superviseProgram } from '../../../src/main/metrics/supervise-program.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function supervise(script: string, { beforeStart = async () => {} } = {}) {
  const folder = await createScratchFolder();
  const changes: (string | undefined)[] = [];
  const dataDir = join(folder, 'data');
  const program = await superviseProgram({
    command: ['sh', '-c', script],
    args: [dataDir],
    environment: { PATH: process.env['PATH'] },
    logFile: join(folder, 'logs', 'program.log'),
    pidFile: join(folder, 'program.pid'),
    dataDir,
    beforeStart,
    isReady: async () => (await readFile(join(dataDir, 'ready'), 'utf8')) !== '',
    onChange: (cause) => void changes.push(cause),
  });
  onTestFinished(async () => await program.close());
  const readPid = async () => (JSON.parse(await readFile(join(folder, 'program.pid'), 'utf8')) as { pid: number }).pid;
  return { program, changes, readPid, folder, dataDir };
}

const serve = 'echo yes > "$0/ready"; exec sleep 600';

it('starts a program again that ends, and reports both', async () => {
  const { changes, readPid } = await supervise(serve);
  await expect.poll(() => changes).toEqual([undefined]);
  const pid = await readPid();
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => changes).toEqual([undefined, 'it ended with SIGKILL.', undefined]);
  expect(await readPid()).not.toBe(pid);
});

it('stops the program when it is closed', async () => {
  const { program, changes, readPid, folder } = await supervise(serve);
  await expect.poll(() => changes).toEqual([undefined]);
  const pid = await readPid();
  await program.close();
  expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  await expect(readFile(join(folder, 'program.pid'))).rejects.toThrow('ENOENT');
});

it('reports why the program cannot start, and tries again', async () => {
  let attempts = 0;
  const beforeStart = async (): Promise<void> => {
    attempts += 1;
    if (attempts === 1) throw new Error('Port 1 is in use.');
  };
  const { changes } = await supervise(serve, { beforeStart });
  await expect.poll(() => changes).toEqual(['Port 1 is in use.', undefined]);
});

it('does not mistake another process for one of an earlier start', async () => {
  const { program, folder, dataDir } = await supervise(serve);
  await program.close();
  await writeFile(join(folder, 'program.pid'), JSON.stringify({ pid: process.ppid, ownerPid: 1 }));
  await superviseProgram({
    command: ['true'],
    args: [],
    environment: {},
    logFile: join(folder, 'program.log'),
    pidFile: join(folder, 'program.pid'),
    dataDir,
    beforeStart: async () => {},
    isReady: async () => false,
    onChange: () => {},
  }).then(async (other) => await other.close());
  expect(() => process.kill(process.ppid, 0)).not.toThrow();
});
