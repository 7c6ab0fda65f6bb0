import type { ChildProcess } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';

/**
 * Returns a function that kills bwrap with everything it started. `infoFd` is the pipe of its `--info-fd`.
 * Killing bwrap alone is not enough: early in its start, its child is not yet tied to it by `--die-with-parent`.
 */
export function createNamespaceKiller(bwrap: ChildProcess, infoFd: number): () => void {
  const firstProcess = readFirstProcess(bwrap.stdio[infoFd] as Readable);
  return () =>
    void firstProcess.then((pid) => {
      // The id of a process that has ended may belong to another one.
      if (pid !== undefined && bwrap.exitCode === null && bwrap.signalCode === null) tryKill(pid);
      bwrap.kill('SIGKILL');
    });
}

/** Reads the id of the namespace's first process. There is none if bwrap fails before it starts one. */
async function readFirstProcess(pipe: Readable): Promise<number | undefined> {
  const info = await text(pipe).catch(() => '');
  const id = /"child-pid": (\d+)/.exec(info)?.[1];
  return id === undefined ? undefined : Number(id);
}

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
