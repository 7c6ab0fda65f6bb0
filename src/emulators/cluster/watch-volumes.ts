import { mkdir } from 'node:fs/promises';
import { DiskMeter, type DiskLimits } from '../../processes/disk-meter.ts';
import { watchDisk } from '../../processes/watch-disk.ts';

/** A host folder that an app sees as a volume. */
export type MountedVolume = { name: string; host: string; inside: string; bytes: number };
type MeasuredVolume = { name: string; meter: DiskMeter; limits: DiskLimits; used: DiskLimits };

const pollIntervalMs = 1_000;
/** An ext4 file system has one inode per so many bytes. */
const bytesPerFile = 16 * 1024;

/** Creates the folders of the volumes that are missing, and measures what each of them holds before the app starts. */
export async function measureVolumes(volumes: readonly MountedVolume[]): Promise<MeasuredVolume[]> {
  return await Promise.all(
    volumes.map(async ({ name, host, bytes }) => {
      await mkdir(host, { recursive: true });
      const meter = new DiskMeter(host);
      const limits = { diskBytes: bytes, diskFiles: Math.ceil(bytes / bytesPerFile) };
      return { name, meter, limits, used: await meter.measure(limits) };
    }),
  );
}

/**
 * Calls `onFull` with the reason when a volume exceeds its size, or grows although it exceeds it already. A folder has no
 * size of its own, so an app could fill the disk that all orgs share.
 */
export function watchVolumes(volumes: readonly MeasuredVolume[], onFull: (reason: string) => void): { stop(): void } {
  const watches = volumes.map(({ name, meter, limits, used }) => {
    const { diskBytes, diskFiles } = limits;
    const reason = `The volume "${name}" is full: it holds at most ${diskBytes} bytes and ${diskFiles} files.`;
    return watchDisk(meter, { limits, used, onFull: () => onFull(reason), pollIntervalMs });
  });
  return {
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}
