import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../errors.ts';

export type ServerRecord = { pid: number; ownerPid: number };

/**
 * Stops the server that a killed platform left on this database: two on one file would each believe the shard theirs.
 * Refuses when its platform is alive.
 */
export async function stopStaleServer(pidFile: string, databaseFile: string): Promise<void> {
  const record = await readRecord(pidFile);
  if (record === undefined) return;
  const running = await serverOn(databaseFile, record.pid);
  if (running !== undefined) {
    // An orphan belongs to init: the kernel keeps the parent's id true for exactly as long as the parent lives.
    if (running.parentPid === record.ownerPid) {
      const message = `Process ${record.ownerPid} already runs a platform on the database ${databaseFile}.`;
      throw new ServiceError('conflict', `${message} Stop it, or set another data directory.`);
    }
    process.kill(record.pid, 'SIGKILL');
    while ((await serverOn(databaseFile, record.pid)) !== undefined) await pause(10);
  }
  await rm(pidFile, { force: true });
}

async function readRecord(pidFile: string): Promise<ServerRecord | undefined> {
  try {
    return JSON.parse(await readFile(pidFile, 'utf8')) as ServerRecord;
  } catch {
    // None yet, or cut short when the machine went down: either way no server that we could name.
    return undefined;
  }
}

/** The process of that id, if it serves that database: ids are used again. */
async function serverOn(databaseFile: string, pid: number): Promise<{ parentPid: number } | undefined> {
  const found = process.platform === 'linux' ? await lookInProc(pid) : await askPs(pid);
  return found?.commandLine.includes(databaseFile) ? found : undefined;
}

type Process = { parentPid: number; commandLine: string };

async function lookInProc(pid: number): Promise<Process | undefined> {
  try {
    const commandLine = (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ');
    // The name in parentheses may hold anything; state and parent follow the last one.
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const parentPid = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    return { parentPid, commandLine };
  } catch {
    return undefined;
  }
}

function askPs(pid: number): Promise<Process | undefined> {
  return new Promise((resolve) => {
    execFile('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)], (error, output) => {
      const match = /^\s*(\d+)\s+(.*)/.exec(output);
      resolve(error || !match ? undefined : { parentPid: Number(match[1]), commandLine: match[2] ?? '' });
    });
  });
}
