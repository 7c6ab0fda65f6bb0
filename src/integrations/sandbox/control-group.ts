import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { getuid, pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** Totals for everything a command starts, held by the kernel; `procsFiles` is where a process moves itself in. */
export type ControlGroup = { procsFiles: string[]; remove: () => void };
type Limits = { memoryBytes: number; processes: number };
type Hierarchy = { root: string; files: (limits: Limits) => Record<string, string> };

const folder = '/sys/fs/cgroup';
const prefix = 'delivery-sandbox-';
let made = 0;

/**
 * Limits that hold for root too, whom `RLIMIT_NPROC` does not bind. Undefined where this host does not let us make
 * groups (a service that does not run as root, a container without them); the limits per process still hold there.
 */
export function createControlGroup(limits: Limits): ControlGroup | undefined {
  if (getuid?.() !== 0) return undefined;
  made += 1;
  const name = `${prefix}${pid}-${made}`;
  const groups: string[] = [];
  try {
    for (const { root, files } of hierarchies()) {
      const group = `${root}/${name}`;
      mkdirSync(group);
      groups.push(group);
      for (const [file, value] of Object.entries(files(limits))) writeFileSync(`${group}/${file}`, value);
    }
  } catch {
    for (const group of groups) tryRemove(group);
    return undefined;
  }
  if (groups.length === 0) return undefined;
  return { procsFiles: groups.map((group) => `${group}/cgroup.procs`), remove: () => void removeSoon(groups) };
}

/** Groups of processes that were killed before they could remove them. */
export function removeLeftControlGroups(): void {
  if (getuid?.() !== 0) return;
  for (const { root } of hierarchies()) {
    for (const name of readdirSync(root)) {
      const owner = name.startsWith(prefix) ? name.slice(prefix.length).split('-')[0] : undefined;
      if (owner && !existsSync(`/proc/${owner}`)) tryRemove(`${root}/${name}`);
    }
  }
}

function hierarchies(): Hierarchy[] {
  if (existsSync(`${folder}/cgroup.subtree_control`)) {
    const controllers = readFileSync(`${folder}/cgroup.subtree_control`, 'utf8').split(/\s+/);
    if (!controllers.includes('pids') || !controllers.includes('memory')) return [];
    const files = ({ processes, memoryBytes }: Limits) => ({
      'pids.max': `${processes}`,
      'memory.max': `${memoryBytes}`,
    });
    return [{ root: folder, files }];
  }
  const separate: Hierarchy[] = [
    { root: `${folder}/pids`, files: ({ processes }) => ({ 'pids.max': `${processes}` }) },
    { root: `${folder}/memory`, files: ({ memoryBytes }) => ({ 'memory.limit_in_bytes': `${memoryBytes}` }) },
  ];
  return separate.filter(({ root }) => existsSync(`${root}/cgroup.procs`));
}

/** The last processes may still be on their way out when their pipes are closed already. */
async function removeSoon(groups: string[]): Promise<void> {
  for (let attempt = 0; attempt < 40; attempt += 1) {
    groups = groups.filter((group) => !tryRemove(group));
    if (groups.length === 0) return;
    await wait(50, undefined, { ref: false });
  }
}

function tryRemove(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return !existsSync(group);
  }
}
