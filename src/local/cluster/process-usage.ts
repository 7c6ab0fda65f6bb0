import { readdir, readFile } from 'node:fs/promises';

/** Processor time since they started, and the memory that is theirs alone, of a process and all below it. */
export type ProcessUsage = { cpuSeconds: number; memoryBytes: number };

/** Linux' clock in /proc, whatever the kernel's own is. */
const ticksPerSecond = 100;
const pageBytes = 4_096;

export async function readProcessUsage(pid: number): Promise<ProcessUsage> {
  const [own, below] = await Promise.all([readOne(pid), childrenOf(pid)]);
  const usages = await Promise.all(below.map(readProcessUsage));
  return usages.reduce(
    (sum, one) => ({
      cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
      memoryBytes: sum.memoryBytes + one.memoryBytes,
    }),
    own,
  );
}

/** A process that has ended meanwhile uses nothing. */
async function readOne(pid: number): Promise<ProcessUsage> {
  try {
    const [stat, statm] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/statm`, 'utf8'),
    ]);
    // The program's name, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Its own user and system time, and that of its children which have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
    return { cpuSeconds: ticks / ticksPerSecond, memoryBytes: (resident - shared) * pageBytes };
  } catch {
    return { cpuSeconds: 0, memoryBytes: 0 };
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map(
    async (thread) => await readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
