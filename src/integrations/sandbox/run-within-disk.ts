import { LRUCache } from 'lru-cache';
import { type DiskLimits, DiskMeter, exceeds } from '../../processes/disk-meter.ts';
import { watchDisk } from '../../processes/watch-disk.ts';
import type { Sandbox, SandboxedProcess, SandboxRequest } from './sandbox.ts';
import { waitForExit } from './wait-for-exit.ts';

/** The limits of a checkout with its installed packages and build results. */
const defaultLimits = { diskBytes: 8 * 1024 ** 3, diskFiles: 1_000_000 };
/** Bounds the memory of workspaces that were measured; one that is forgotten is measured again. */
const metersMax = 1_000;

/** Runs commands to their end, and limits what all commands of a workspace write to it together. */
export function runWithinDisk(start: (request: SandboxRequest, command: string[]) => SandboxedProcess): Sandbox['run'] {
  const meters = new LRUCache<string, DiskMeter>({ max: metersMax });
  const getMeter = (folder: string): DiskMeter => {
    const meter = meters.get(folder) ?? new DiskMeter(folder);
    meters.set(folder, meter);
    return meter;
  };
  return async (request, options) => {
    const limits = { ...defaultLimits, ...request.limits };
    const meter = getMeter(request.workspace.path);
    // The sandbox itself fails with a workspace that does not exist.
    const used = await meter.measure(limits).catch(() => ({ diskBytes: 0, diskFiles: 0 }));
    const isFull = exceeds(used, limits);
    // Both outputs share one pipe, which keeps their order.
    const command = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...request.argv];
    const { child, kill } = start(isFull ? withoutWriting(request) : request, command);
    let isKilled = false;
    const onFull = (): void => {
      isKilled = true;
      kill();
    };
    const disk = watchDisk(meter, { limits, used, onFull });
    const result = await waitForExit(child, kill, options).finally(() => disk.stop());
    if (!isKilled && !isFull) return result;
    return { ...result, output: `${result.output}\n${diskFullNotice(limits, { isKilled })}` };
  };
}

/** A command in a full workspace can delete files, and write to none. */
const withoutWriting = (request: SandboxRequest): SandboxRequest => ({
  ...request,
  limits: { ...request.limits, fileBytes: 0 },
});

const diskFullNotice = ({ diskBytes, diskFiles }: DiskLimits, { isKilled }: { isKilled: boolean }): string => {
  const outcome = isKilled ? 'killed' : 'the command could not write to files';
  return `[… ${outcome}: /workspace exceeds ${diskBytes} bytes or ${diskFiles} files; delete some …]`;
};
