import { readdir, readFile } from 'node:fs/promises';

/** The CPU time and the unshared memory of a process and its descendants. */
export type ProcessUsage = { cpuSeconds: number; memoryBytes: number };

/** Linux reports times in /proc in this unit, independent of the kernel's own tick rate. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

export async function readProcessUsage(pid: number): Promise<ProcessUsage> {
  const [own, below] = await Promise.all([readSingleProcess(pid), listChildPids(pid)]);
  const usages = await Promise.all(below.map(readProcessUsage));
  return usages.reduce(
    (sum, one) => ({
      cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
      memoryBytes: sum.memoryBytes + one.memoryBytes,
    }),
    own,
  );
}

/** Returns zero for a process that has exited. */
async function readSingleProcess(pid: number): Promise<ProcessUsage> {
  try {
    const [stat, statm] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/statm`, 'utf8'),
    ]);
    // The program name in parentheses may contain spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // These four fields hold the user and system time of the process and of its exited children.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
    return { cpuSeconds: ticks / ticksPerSecond, memoryBytes: (resident - shared) * pageBytes };
  } catch {
    return { cpuSeconds: 0, memoryBytes: 0 };
  }
}

async function listChildPids(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map(
    async (thread) => await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
