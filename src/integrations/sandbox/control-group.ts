import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { getuid, pid } from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';

/** Limits all processes of a command together. A process joins by writing its id to the `procsFiles`. */
export type ControlGroup = { procsFiles: string[]; remove: () => void };
type Limits = { memoryBytes: number; processes: number };
type Hierarchy = { root: string; files: (limits: Limits) => Record<string, string> };

const hostRoot = '/sys/fs/cgroup';
const groupPrefix = 'delivery-sandbox-';
let createdCount = 0;

/**
 * Control groups also limit root, which `RLIMIT_NPROC` does not. Returns undefined when the service cannot create groups,
 * for example without root; the limits per process still apply.
 */
export function createControlGroup(limits: Limits): ControlGroup | undefined {
  if (getuid?.() !== 0) return undefined;
  createdCount += 1;
  const name = `${groupPrefix}${pid}-${createdCount}`;
  const groups: string[] = [];
  try {
    for (const { root, files } of listHierarchies()) {
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
  return { procsFiles: groups.map((group) => `${group}/cgroup.procs`), remove: () => void removeWithRetry(groups) };
}

/** Removes groups of service processes that were killed. */
export function removeStaleControlGroups(cgroupRoot = hostRoot): void {
  if (getuid?.() !== 0) return;
  for (const { root } of listHierarchies(cgroupRoot)) {
    for (const name of readdirSync(root)) {
      const owner = name.startsWith(groupPrefix) ? name.slice(groupPrefix.length).split('-')[0] : undefined;
      if (owner && !existsSync(`/proc/${owner}`)) tryRemove(`${root}/${name}`);
    }
  }
}

/** Lists the trees of groups that can limit processes, memory or both. */
export function listHierarchies(cgroupRoot = hostRoot): Hierarchy[] {
  if (existsSync(`${cgroupRoot}/cgroup.subtree_control`)) {
    const controllers = readFileSync(`${cgroupRoot}/cgroup.subtree_control`, 'utf8').split(/\s+/);
    if (!controllers.includes('pids') || !controllers.includes('memory')) return [];
    const files = ({ processes, memoryBytes }: Limits) => ({
      'pids.max': `${processes}`,
      'memory.max': `${memoryBytes}`,
    });
    return [{ root: cgroupRoot, files }];
  }
  const separate: Hierarchy[] = [
    { root: `${cgroupRoot}/pids`, files: ({ processes }) => ({ 'pids.max': `${processes}` }) },
    { root: `${cgroupRoot}/memory`, files: ({ memoryBytes }) => ({ 'memory.limit_in_bytes': `${memoryBytes}` }) },
  ];
  return separate.filter(({ root }) => existsSync(`${root}/cgroup.procs`));
}

/** The last processes may still be exiting after their pipes have closed. */
async function removeWithRetry(groups: string[]): Promise<void> {
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
