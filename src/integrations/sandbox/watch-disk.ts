import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

export type DiskLimits = { diskBytes: number; diskFiles: number };

const everyMs = 150;
/** Measuring a folder takes time: it is done each time when so much of the disk has gone, whoever took it. */
const stepBytes = 64 * 1024 ** 2;
const stepFiles = 20_000;
const measureTimeoutMs = 60_000;

/**
 * No limit of a process holds many files together, and the disk is everybody's: calls `onFull` once the folder holds
 * more than it may.
 */
export function watchDisk(folder: string, limits: DiskLimits, onFull: () => void): { stop(): void } {
  const bytesToMeasure = Math.min(stepBytes, limits.diskBytes / 4);
  const filesToMeasure = Math.min(stepFiles, limits.diskFiles / 4);
  let measured: { bytes: number; files: number } | undefined;
  let stopped = false;
  let timer = setTimeout(look, 0);

  function look(): void {
    void check().then(
      (isFull) => {
        if (stopped) return;
        if (isFull) return onFull();
        timer = setTimeout(look, everyMs);
      },
      // The folder is on its way out, or cannot be measured in time: look again.
      () => void (stopped || (timer = setTimeout(look, everyMs))),
    );
  }

  async function check(): Promise<boolean> {
    const now = await left(folder);
    measured ??= now;
    if (measured.bytes - now.bytes < bytesToMeasure && measured.files - now.files < filesToMeasure) return false;
    measured = now;
    return (await du(folder, '--block-size=1')) > limits.diskBytes || (await du(folder, '--inodes')) > limits.diskFiles;
  }

  return {
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function left(folder: string): Promise<{ bytes: number; files: number }> {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { bytes: bavail * bsize, files: ffree };
}

async function du(folder: string, unit: string): Promise<number> {
  const options = { timeout: measureTimeoutMs, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  // It fails over files that vanish while it counts, and has counted the others.
  const { stdout } = await promisify(execFile)('du', ['-sx', unit, '--', folder], options).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return Number.parseInt(stdout, 10) || 0;
}
