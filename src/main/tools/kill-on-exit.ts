import type { ChildProcess } from 'node:child_process';

/** Kills a program, with the programs that it started, when this process exits before it. It must lead a group of its own. */
export function killOnExit(child: ChildProcess): void {
  const kill = (): void => killGroup(child);
  process.on('exit', kill);
  child.once('close', () => process.off('exit', kill));
}

/** Kills all processes of the group that a program leads. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
