import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPathWith } from '../../../support/create-path-with.ts';
import { waitUntil } from '../../../support/platform/wait-until.ts';
import { createScratchFolder } from '../../../support/scratch-folder.ts';

const module = new URL('../../../../src/main/tools/install/run-go.ts', import.meta.url).href;

const isRunning = async (pid: number): Promise<boolean> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX]/.test(stat);
};

it.runIf(process.platform === 'linux')('ends the build when its process is killed', async () => {
  const workDir = await createScratchFolder();
  const pidFile = join(workDir, 'pid');
  const PATH = `${await createPathWith({ go: `echo $$ > '${pidFile}'; exec sleep 600` })}${delimiter}${process.env['PATH']}`;
  const script = `
    const { runGo } = await import(${JSON.stringify(module)});
    const build = { args: ['build', '.'], label: 'it', expectedDuration: '1 minute' };
    await runGo(build, { workDir: ${JSON.stringify(workDir)}, env: process.env, onProgress() {} });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'ignore',
    env: { ...process.env, PATH },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = await waitUntil(
    async () => Number(await readFile(pidFile, 'utf8').catch(() => '0')),
    (found) => found > 0,
  );
  onTestFinished(() => void (pid > 0 && tryKill(pid)));
  expect(await isRunning(pid)).toBe(true);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  await waitUntil(
    async () => await isRunning(pid),
    (running) => !running,
  );
});

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
