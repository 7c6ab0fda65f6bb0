import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

export type DiskLimits = { diskBytes: number; diskFiles: number };

const pollIntervalMs = 150;
/** Measuring a folder is slow, so it is measured only after the free space of the disk shrank this much. */
const stepBytes = 64 * 1024 ** 2;
const stepFiles = 20_000;
const measureTimeoutMs = 60_000;

/** Calls `onFull` once the folder exceeds its limits, because limits per process do not cover many files together. */
export function watchDisk(folder: string, limits: DiskLimits, onFull: () => void): { stop(): void } {
  const bytesToMeasure = Math.min(stepBytes, limits.diskBytes / 4);
  const filesToMeasure = Math.min(stepFiles, limits.diskFiles / 4);
  let freeAtLastMeasure: { bytes: number; files: number } | undefined;
  let stopped = false;
  let timer = setTimeout(poll, 0);

  function poll(): void {
    void check().then(
      (isFull) => {
        if (stopped) return;
        if (isFull) return onFull();
        timer = setTimeout(poll, pollIntervalMs);
      },
      // Measuring failed or timed out, for example because the folder is being deleted; the next poll tries again.
      () => void (stopped || (timer = setTimeout(poll, pollIntervalMs))),
    );
  }

  async function check(): Promise<boolean> {
    const free = await readFreeSpace(folder);
    freeAtLastMeasure ??= free;
    const usedBytes = freeAtLastMeasure.bytes - free.bytes;
    const usedFiles = freeAtLastMeasure.files - free.files;
    if (usedBytes < bytesToMeasure && usedFiles < filesToMeasure) return false;
    freeAtLastMeasure = free;
    return (
      (await measureUsage(folder, '--block-size=1')) > limits.diskBytes ||
      (await measureUsage(folder, '--inodes')) > limits.diskFiles
    );
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function readFreeSpace(folder: string): Promise<{ bytes: number; files: number }> {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { bytes: bavail * bsize, files: ffree };
}

async function measureUsage(folder: string, unit: string): Promise<number> {
  const options = { timeout: measureTimeoutMs, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  // du fails when files vanish while it counts, but still prints the total of the others.
  const { stdout } = await promisify(execFile)('du', ['-sx', unit, '--', folder], options).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return Number.parseInt(stdout, 10) || 0;
}
