import { readFile } from 'node:fs/promises';

/** Milliseconds of CPU: of this process with its threads, of the programs it ran to their end, and of the server. */
export type Cpu = { process: number; programs: number; server: number };

/** The kernel of Linux counts a process's time in these, whatever its own clock does. */
const tickMs = 10;

export async function cpuSoFar(serverPid: number): Promise<Cpu> {
  const { user, system } = process.cpuUsage();
  const [own, server] = await Promise.all([statOf(process.pid), statOf(serverPid)]);
  return { process: (user + system) / 1000, programs: own.children, server: server.own };
}

async function statOf(pid: number): Promise<{ own: number; children: number }> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The program's name, in brackets, may hold anything; the four times are the 12th field after it and on.
  const [user, system, ofChildren, systemOfChildren] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) * tickMs) as [number, number, number, number];
  return { own: user + system, children: ofChildren + systemOfChildren };
}
