import { execFile } from 'node:child_process';
import { statfs } from 'node:fs/promises';
import { promisify } from 'node:util';

export type DiskLimits = { diskBytes: number; diskFiles: number };

/** Measuring a folder is slow, so it is measured only after the free space of the disk shrank this much. */
const stepBytes = 64 * 1024 ** 2;
const stepFiles = 20_000;
const measureTimeoutMs = 60_000;

/** Measures one folder over all commands that run in it, so that many small ones together do not exceed its limits. */
export class DiskMeter {
  readonly #folder: string;
  readonly #readFree: (folder: string) => Promise<DiskLimits>;
  #used: DiskLimits | undefined;
  /** The free space at the last measurement, or more when other folders of the disk have freed some since. */
  #free: DiskLimits = { diskBytes: 0, diskFiles: 0 };

  constructor(folder: string, readFree = readFreeSpace) {
    this.#folder = folder;
    this.#readFree = readFree;
  }

  /** Returns what the folder used when it was last worth measuring; always measures a folder that exceeds the limits. */
  async measure(limits: DiskLimits): Promise<DiskLimits> {
    const free = await this.#readFree(this.#folder);
    const taken = subtract(this.#free, free);
    const isSmall =
      taken.diskBytes < Math.min(stepBytes, limits.diskBytes / 4) &&
      taken.diskFiles < Math.min(stepFiles, limits.diskFiles / 4);
    if (this.#used && isSmall && !exceeds(this.#used, limits)) {
      this.#free = highest(this.#free, free);
      return this.#used;
    }
    this.#free = free;
    this.#used = {
      diskBytes: await measureBytes(this.#folder),
      diskFiles: await measureUsage(this.#folder, '--inodes'),
    };
    return this.#used;
  }
}

export const exceeds = (used: DiskLimits, limits: DiskLimits): boolean =>
  used.diskBytes > limits.diskBytes || used.diskFiles > limits.diskFiles;

export const highest = (one: DiskLimits, other: DiskLimits): DiskLimits => ({
  diskBytes: Math.max(one.diskBytes, other.diskBytes),
  diskFiles: Math.max(one.diskFiles, other.diskFiles),
});

const subtract = (one: DiskLimits, other: DiskLimits): DiskLimits => ({
  diskBytes: one.diskBytes - other.diskBytes,
  diskFiles: one.diskFiles - other.diskFiles,
});

async function readFreeSpace(folder: string): Promise<DiskLimits> {
  const { bavail, bsize, ffree } = await statfs(folder);
  return { diskBytes: bavail * bsize, diskFiles: ffree };
}

/** Measures what a folder and everything below it occupy on the disk. */
export const measureBytes = async (folder: string): Promise<number> => await measureUsage(folder, '--block-size=1');

async function measureUsage(folder: string, unit: string): Promise<number> {
  const options = { timeout: measureTimeoutMs, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } };
  // du fails when files vanish while it counts, but still prints the total of the others.
  const { stdout } = await promisify(execFile)('du', ['-sx', unit, '--', folder], options).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
  );
  return Number.parseInt(stdout, 10) || 0;
}
