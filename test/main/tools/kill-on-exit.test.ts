import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { waitUntil } from '../../support/platform/wait-until.ts';

const module = new URL('../../../src/main/tools/run-program.ts', import.meta.url).href;

const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX]/.test(stat);
};

it.runIf(process.platform === 'linux')('ends programs with what they started, and warns of no leak', async () => {
  const script = `
    const { runProgram } = await import(${JSON.stringify(module)});
    const started = Array.from({ length: 12 }, () => Promise.withResolvers());
    for (const { resolve } of started)
      runProgram('sh', ['-c', 'sleep 600 & echo $!; wait'], { env: process.env, silenceMs: 600_000, onLine: resolve });
    console.log((await Promise.all(started.map(({ promise }) => promise))).join(' '));
    process.exit(3);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
  expect(await once(child, 'close')).toEqual([3, null]);
  expect(errors).toBe('');
  const pids = output.trim().split(' ').map(Number);
  expect(pids).toHaveLength(12);
  await waitUntil(
    async () => await Promise.all(pids.map(isRunning)),
    (running) => !running.includes(true),
  );
});
