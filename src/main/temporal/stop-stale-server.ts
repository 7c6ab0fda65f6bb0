import { execFile } from 'node:child_process';
import { readdir, readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';

export type ServerRecord = { pid: number; ownerPid: number };

/**
 * Stops the server that a killed platform left running on this database, because two servers on one file would each
 * believe that they own the shard. Throws when that platform is still alive.
 */
export async function stopStaleServer(pidFile: string, databaseFile: string): Promise<void> {
  const record = await findServerRecord(pidFile);
  if (record === undefined) return;
  const running = await findServerProcess(databaseFile, record.pid);
  if (running !== undefined) {
    // The kernel gives an orphan a new parent, so an unchanged parent id means that the platform is alive.
    if (running.parentPid === record.ownerPid) {
      const message = `Process ${record.ownerPid} already runs a platform on the database ${databaseFile}.`;
      throw new ServiceError('conflict', `${message} Stop it, or use another data directory.`);
    }
    await end(record.pid);
  }
  // A parent that was killed may leave the server itself behind.
  const group = (await listGroup(record.pid)).map(({ pid }) => pid);
  const found = await Promise.all(group.map(async (pid) => await findServerProcess(databaseFile, pid)));
  if (found.some((server) => server !== undefined)) for (const pid of group) await end(pid);
  await rm(pidFile, { force: true });
}

async function findServerRecord(pidFile: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(pidFile, 'utf8')) as ServerRecord;
  } catch {
    // The file does not exist yet, or a crash truncated it, so it names no server.
    return undefined;
  }
}

/** Finds the process only if it serves that database, because process ids are reused. */
async function findServerProcess(databaseFile: string, pid: number): Promise<{ parentPid: number } | undefined> {
  const found = process.platform === 'linux' ? await findInProc(pid) : await findWithPs(pid);
  return found?.commandLine.includes(databaseFile) ? found : undefined;
}

async function end(pid: number): Promise<void> {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It may have ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
  while (await isAlive(pid)) await pause(10);
}

/** Lists the processes of a group, which keeps the id of its first process. Only Linux tells them. */
export async function listGroup(leader: number): Promise<{ pid: number; parentPid: number }[]> {
  if (process.platform !== 'linux') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const all = await Promise.all(pids.map(async (pid) => ({ pid, ...(await findInProc(pid)) })));
  return all.flatMap(({ pid, parentPid, group }) =>
    group === leader && parentPid !== undefined ? [{ pid, parentPid }] : [],
  );
}

/** A process that ends loses its command line before its sockets close, and becomes a zombie after that. */
async function isAlive(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return (await findWithPs(pid)) !== undefined;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat !== undefined && !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}

type ProcessInfo = { parentPid: number; group?: number; commandLine: string };

async function findInProc(pid: number): Promise<ProcessInfo | undefined> {
  try {
    const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    // The program name in parentheses may contain anything; state, parent and group follow the last parenthesis.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [, parentPid, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { parentPid: Number(parentPid), group: Number(group), commandLine };
  } catch {
    return undefined;
  }
}

function findWithPs(pid: number): Promise<ProcessInfo | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)], (error, output) => {
      const match = /^\s*(\d+)\s+(.*)/.exec(output);
      resolve(error || !match ? undefined : { parentPid: Number(match[1]), commandLine: match[2] ?? '' });
    });
  });
}
