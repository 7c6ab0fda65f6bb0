import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { type ProcessStart, runProcess } from '../../src/processes/run-process.ts';
import { createScratchFolder } from '../support/scratch-folder.ts';
import { waitUntil } from '../support/platform/wait-until.ts';

const start = (script: string, changed: Partial<ProcessStart> = {}): ProcessStart => ({
  command: 'sh',
  args: ['-c', script],
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '' },
  timeoutMs: 60_000,
  outputBytesMax: 1_000_000,
  ...changed,
});
const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('returns the status and both outputs of a program that read its input', async () => {
  const result = await runProcess(start('cat; echo problem >&2; exit 3', { input: Buffer.from([0, 255]) }));
  expect(result).toEqual({ status: 3, stdout: Buffer.from([0, 255]), stderr: Buffer.from('problem\n') });
});

it('passes on the given variables only', async () => {
  const { stdout } = await runProcess(start('env', { env: { PATH: '/usr/bin:/bin', ONLY: 'this' } }));
  const names = stdout
    .toString()
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name ?? ''))).toEqual(
    expect.arrayContaining(['PATH', 'ONLY']),
  );
  expect(names).not.toContain('HOME');
});

it('runs programs at the same time', async () => {
  const results = await Promise.all(['a', 'b', 'c'].map(async (text) => await runProcess(start(`printf ${text}`))));
  expect(results.map(({ stdout }) => stdout.toString())).toEqual(['a', 'b', 'c']);
});

it('reports a program that does not exist, one that runs too long and one that writes too much', async () => {
  expect((await runProcess(start('', { command: '/nowhere/program' }))).failure).toContain('ENOENT');
  expect((await runProcess(start('sleep 60', { timeoutMs: 50 }))).failure).toBe('timed out after 50 ms');
  expect((await runProcess(start('yes', { outputBytesMax: 1000 }))).failure).toBe('wrote more than 1000 bytes');
  const { stdout } = await runProcess(start('head -c 1000 /dev/zero', { outputBytesMax: 1000 }));
  expect(stdout).toHaveLength(1000);
});

it('kills the program with all that it started when the signal aborts, and throws the reason', async () => {
  const abort = new AbortController();
  const reason = new Error('no longer wanted');
  const running = runProcess(start('sleep 60 & sleep 60; wait'), abort.signal);
  abort.abort(reason);
  await expect(running).rejects.toBe(reason);
  await expect(runProcess(start('true'), abort.signal)).rejects.toBe(reason);
});

it('kills its programs when the process that asked for them is killed', async () => {
  const file = join(await createScratchFolder(), 'pids');
  const module = join(import.meta.dirname, '../../src/processes/run-process.ts');
  const wanted = JSON.stringify(start(`sleep 60 & echo $$ $! > ${file}; wait`));
  const script = `const { runProcess } = await import('${module}'); await runProcess(${wanted});`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
  const readPids = async (): Promise<number[]> => (await readFile(file, 'utf8')).trim().split(' ').map(Number);
  const pids = await waitUntil(
    async () => await readPids().catch(() => []),
    ({ length }) => length === 2,
  );
  expect(pids.map(isRunning)).toEqual([true, true]);
  owner.kill('SIGKILL');
  await waitUntil(
    async () => pids.some(isRunning),
    (running) => !running,
  );
});

it('starts another launcher when one was killed, and reports the program that ended with it', async () => {
  const findLauncher = async (): Promise<number> => Number((await runProcess(start('echo $PPID'))).stdout.toString());
  const killed = await findLauncher();
  const running = runProcess(start('sleep 60'));
  process.kill(killed, 'SIGKILL');
  expect(await running).toMatchObject({ status: null, failure: 'its launcher ended' });
  const next = await findLauncher();
  expect(next).toBeGreaterThan(0);
  expect(next).not.toBe(killed);
});

it('lets the process end that runs no program any more', async () => {
  const module = join(import.meta.dirname, '../../src/processes/run-process.ts');
  const wanted = JSON.stringify(start('printf done'));
  const script = `const { runProcess } = await import('${module}'); console.log(String((await runProcess(${wanted})).stdout));`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void owner.kill('SIGKILL'));
  const [[status], output] = await Promise.all([once(owner, 'exit'), text(owner.stdout)]);
  expect([status, output]).toEqual([0, 'done\n']);
});
