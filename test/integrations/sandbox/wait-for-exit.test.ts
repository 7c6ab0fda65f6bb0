import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { waitForExit, type WaitOptions } from '../../../src/integrations/sandbox/wait-for-exit.ts';

const defaults: WaitOptions = { timeoutMs: 60_000, outputBytesMax: 100 };

/** Runs a program of node, and counts how often it was killed. */
async function run(script: string, options: Partial<WaitOptions> = {}, program = process.execPath) {
  const child = spawn(program, ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  let kills = 0;
  const kill = (): void => {
    kills += 1;
    child.kill('SIGKILL');
  };
  const result = await waitForExit(child, kill, { ...defaults, ...options }).catch((error: unknown) => error);
  return { result, kills };
}

it('returns the exit code and both outputs', async () => {
  const { result, kills } = await run('process.stdout.write("out"); process.stderr.write("err"); process.exitCode = 3');
  expect(result).toMatchObject({ exitCode: 3, timedOut: false });
  expect(result).toHaveProperty('output', expect.stringMatching(/^(outerr|errout)$/));
  expect(kills).toBe(0);
});

it('returns the code of a signal as a shell does', async () => {
  const { result } = await run('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1_000)');
  expect(result).toMatchObject({ exitCode: 128 + 15, timedOut: false });
});

it('kills a command after its timeout, and returns what it printed', async () => {
  const { result, kills } = await run('setInterval(() => {}, 1_000)', { timeoutMs: 20 });
  expect(result).toMatchObject({ exitCode: 128 + 9, timedOut: true });
  expect(kills).toBe(1);
});

it('kills a command whose output is endless, and keeps a bounded part', async () => {
  const { result, kills } = await run('const write = () => process.stdout.write("x".repeat(65_536), write); write()', {
    outputBytesMax: 100,
  });
  expect(result).toMatchObject({ exitCode: 128 + 9, timedOut: false, output: expect.stringContaining('omitted') });
  expect(kills).toBeGreaterThan(0);
});

it('lets a command print all of its bounded output many times', async () => {
  const { result, kills } = await run('process.stdout.write("x".repeat(40_000))', { outputBytesMax: 10 });
  expect(result).toMatchObject({ exitCode: 0, output: 'xxxxx\n[… 39990 bytes omitted …]\nxxxxx' });
  expect(kills).toBe(0);
});

it.each(['before', 'during'])('throws the reason of an abort %s the command', async (time) => {
  const stop = new AbortController();
  const reason = new Error('cancelled');
  if (time === 'before') stop.abort(reason);
  else setTimeout(() => stop.abort(reason), 20);
  const { result, kills } = await run('setInterval(() => {}, 1_000)', { signal: stop.signal });
  expect(result).toBe(reason);
  expect(kills).toBe(1);
});

it('does not listen to the signal after the command has ended', async () => {
  const stop = new AbortController();
  const child = spawn(process.execPath, ['-e', ''], { stdio: ['ignore', 'pipe', 'pipe'] });
  let kills = 0;
  await waitForExit(child, () => (kills += 1), { ...defaults, signal: stop.signal });
  stop.abort();
  expect(kills).toBe(0);
});

it('names a program that cannot be started, and what to check', async () => {
  const { result } = await run('', {}, '/no/such/program');
  expect(result).toMatchObject({
    reason: 'sandbox-unavailable',
    message: expect.stringMatching(/^\/no\/such\/program could not be started: .*ENOENT.* Check that the program/),
  });
});
