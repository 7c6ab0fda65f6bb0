import type { ChildProcess } from 'node:child_process';

// One listener serves all programs, because Node warns of a leak when there are more than ten.
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach(killGroup));

/** Kills a program, with the programs that it started, when this process exits before it. It must lead a group of its own. */
export function killOnExit(child: ChildProcess): void {
  running.add(child);
  child.once('close', () => running.delete(child));
}

/** Kills all processes of the group that a program leads. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended.
  }
}
