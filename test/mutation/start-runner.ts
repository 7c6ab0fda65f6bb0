import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Failure, Job, Message } from './runner-process.ts';

const projectDir = fileURLToPath(new URL('../..', import.meta.url));
/** A test and its hooks end by their own time limits long before this many of those, also on a busy machine. */
const silentTestsMax = 10;

export type Runner = { run: (job: Job) => Promise<Failure | undefined>; close: () => Promise<void> };

/** Runs jobs in a process with a warm Vitest. A mutant that never yields the processor ends the process, and the next gets a new one. */
export function startRunner(
  root: string,
  { testTimeoutMs, project }: { testTimeoutMs: number; project?: string | undefined },
): Runner {
  const start = async () => {
    const child = fork(
      join(root, 'test/mutation/runner-process.ts'),
      [String(testTimeoutMs), ...(project ? [project] : [])],
      {
        cwd: root,
        detached: true,
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: { ...process.env, CI: '' },
      },
    );
    await once(child, 'message');
    return child;
  };
  let current: ReturnType<typeof start> | undefined;
  const stop = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    const child = await current;
    current = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (signal === 'SIGTERM') child.disconnect();
    else process.kill(-child.pid, signal);
    await exited;
  };
  const discard = async ({ mutant }: Job): Promise<void> => {
    await stop('SIGKILL');
    if (mutant) await copyFile(join(projectDir, mutant.file), join(root, mutant.file));
  };
  return {
    run: async (job) => {
      current ??= start();
      const result = await ask(await current, job, silentTestsMax * testTimeoutMs);
      if (typeof result !== 'string') return result.failure;
      await discard(job);
      return { file: result, hasTimedOut: false };
    },
    close: () => stop('SIGTERM'),
  };
}

type Result = { failure?: Failure } | 'the process ended' | 'a test that never yields';

/** Waits for the result of a job. It may take long on a busy machine, as long as some test ends from time to time. */
async function ask(child: ChildProcess, job: Job, silentMsMax: number): Promise<Result> {
  const result = Promise.withResolvers<Result>();
  const giveUp = (): void => result.resolve('a test that never yields');
  let timer = setTimeout(giveUp, silentMsMax);
  const onMessage = (message: Message): void => {
    clearTimeout(timer);
    if (message === 'a test ended') timer = setTimeout(giveUp, silentMsMax);
    else if (message !== 'ready') result.resolve(message);
  };
  const onExit = (): void => result.resolve('the process ended');
  child.on('message', onMessage).once('exit', onExit);
  child.send(job);
  try {
    return await result.promise;
  } finally {
    clearTimeout(timer);
    child.off('message', onMessage).off('exit', onExit);
  }
}
