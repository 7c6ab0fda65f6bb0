import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { superviseProgram } from '../../../src/main/metrics/supervise-program.ts';
import { createScratchFolder } from '../../support/scratch-folder.ts';

async function supervise(
  script: string,
  { beforeStart = async () => {}, environment = {}, stopTimeoutMs = 5_000 } = {},
) {
  const folder = await createScratchFolder();
  const changes: (string | undefined)[] = [];
  const dataDir = join(folder, 'data');
  const program = await superviseProgram({
    command: ['sh', '-c', script],
    args: [dataDir],
    environment: { PATH: process.env['PATH'], ...environment },
    logFile: join(folder, 'logs', 'program.log'),
    pidFile: join(folder, 'program.pid'),
    dataDir,
    beforeStart,
    isReady: async () => (await readFile(join(dataDir, 'ready'), 'utf8')) !== '',
    onChange: (cause) => void changes.push(cause),
    stopTimeoutMs,
    backoffMs: 1,
  });
  onTestFinished(async () => await program.close());
  const readPid = async () => (JSON.parse(await readFile(join(folder, 'program.pid'), 'utf8')) as { pid: number }).pid;
  return { program, changes, readPid, folder, dataDir };
}

/** Whether a process runs. One that has ended is a zombie until its parent asks for its status. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Starts another program with the files of an earlier one. */
const startAgain = async (folder: string) =>
  await superviseProgram({
    command: ['true'],
    args: [],
    environment: {},
    logFile: join(folder, 'program.log'),
    pidFile: join(folder, 'program.pid'),
    dataDir: join(folder, 'data'),
    beforeStart: async () => {},
    isReady: async () => false,
    onChange: () => {},
  });

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

it('lets a program in a sandbox save its state before it ends', async () => {
  const save = `process.on('SIGTERM', () => setTimeout(() => {
    require('node:fs').writeFileSync(process.argv[1] + '/saved', 'yes');
    process.exit();
  }, 200));
  require('node:fs').writeFileSync(process.argv[1] + '/ready', 'yes');
  setInterval(() => {}, 1_000);`;
  // The parent of the program ends with the signal, as a sandbox does.
  const { program, changes, dataDir } = await supervise(`'${process.execPath}' -e "$PROGRAM" "$0"; true`, {
    environment: { PROGRAM: save },
  });
  await expect.poll(() => changes).toEqual([undefined]);
  await program.close();
  expect(await readFile(join(dataDir, 'saved'), 'utf8')).toBe('yes');
});

it('leaves no process of the program behind, whichever of them ended first', async () => {
  const { program, changes, readPid, dataDir } = await supervise(`sleep 600 & echo $! > "$0/child"; ${serve}`, {
    // The signal to end reaches the child only.
    stopTimeoutMs: 100,
  });
  await expect.poll(() => changes).toEqual([undefined]);
  const child = Number(await readFile(join(dataDir, 'child'), 'utf8'));
  process.kill(await readPid(), 'SIGKILL');
  await expect.poll(() => isRunning(child)).toBe(false);
  await expect.poll(() => changes.length).toBe(3);
  const next = Number(await readFile(join(dataDir, 'child'), 'utf8'));
  await program.close();
  await expect.poll(() => isRunning(next)).toBe(false);
});

it('ends a process of an earlier start whose parent has ended', async () => {
  const { program, folder, dataDir } = await supervise(serve);
  await program.close();
  // The parent starts a process of its group, and ends.
  const script = `sh -c 'sleep 600; true' "$0" > /dev/null & echo $!`;
  const parent = spawn('sh', ['-c', script, dataDir], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const orphan = Number(await text(parent.stdout));
  await expect.poll(() => isRunning(parent.pid ?? 0)).toBe(false);
  expect(isRunning(orphan)).toBe(true);
  await writeFile(join(folder, 'program.pid'), JSON.stringify({ pid: parent.pid, ownerPid: 1 }));
  const next = await startAgain(folder);
  expect(isRunning(orphan)).toBe(false);
  await next.close();
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
  const { program, folder } = await supervise(serve);
  await program.close();
  await writeFile(join(folder, 'program.pid'), JSON.stringify({ pid: process.ppid, ownerPid: 1 }));
  await (await startAgain(folder)).close();
  expect(() => process.kill(process.ppid, 0)).not.toThrow();
});
