import { fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, Job } from './runner-process.ts';

const projectDir = fileURLToPath(new URL('../..', import.meta.url));

export type Runner = { run: (job: Job) => Promise<Exclude<Answer, 'ready'>>; close: () => Promise<void> };

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
      const child = await current;
      const settled = new AbortController();
      const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(10 * testTimeoutMs)]);
      try {
        const answered = once(child, 'message', { signal }) as Promise<[{ failed: string[] }]>;
        const exited = once(child, 'exit', { signal }).then(() => [{ failed: ['the process ended'] }]);
        exited.catch(() => {});
        answered.catch(() => {});
        child.send(job);
        const [answer] = await Promise.race([answered, exited]);
        if (answer.failed[0] === 'the process ended') await discard(job);
        return answer;
      } catch {
        await discard(job);
        return { failed: ['time-out'] };
      } finally {
        settled.abort();
      }
    },
    close: () => stop('SIGTERM'),
  };
}
