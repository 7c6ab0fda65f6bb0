import { readFile } from 'node:fs/promises';

/** CPU milliseconds of this process, of the programs that it ran, and of the server. */
export type CpuTimes = { process: number; programs: number; server: number };

/** Linux reports process times in ticks of this length. */
const tickMs = 10;

export async function readCpuTimes(serverPid: number): Promise<CpuTimes> {
  const { user, system } = process.cpuUsage();
  const [own, server] = await Promise.all([readProcessTimes(process.pid), readProcessTimes(serverPid)]);
  return { process: (user + system) / 1000, programs: own.children, server: server.own };
}

async function readProcessTimes(pid: number): Promise<{ own: number; children: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program name in parentheses may contain anything; the four times begin with the 12th field after it.
  const [user, system, childrenUser, childrenSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) * tickMs) as [number, number, number, number];
  return { own: user + system, children: childrenUser + childrenSystem };
}
