import { statfs } from 'node:fs/promises';
import { createFolder } from '../tools/install/create-folder.ts';

const MiB = 1024 ** 2;
/** The databases of an empty platform need this much to start. */
const startBytesMin = 200 * MiB;
const warningBytes = 100 * MiB;
const pollIntervalMs = 10_000;

const toMiB = (bytes: number): string => `${Math.floor(bytes / MiB)} MiB`;

type ReadFreeBytes = (folder: string) => Promise<number>;

const readFreeBytes: ReadFreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Throws when the data directory is on a disk that is too full for a platform. */
export async function assertFreeSpace(folder: string, read: ReadFreeBytes = readFreeBytes): Promise<void> {
  await createFolder(folder).catch(() => undefined);
  const bytes = await read(folder).catch(() => Infinity);
  if (bytes < startBytesMin)
    throw new Error(
      `The disk of the data directory ${folder} has only ${toMiB(bytes)} left, and the platform needs ${toMiB(startBytesMin)}. Free some space, or pass another --data-dir.`,
    );
}

type Watch = { folder: string; onWarning: (message: string) => void; intervalMs?: number; read?: ReadFreeBytes };

/** Warns when the disk gets full, because a server whose disk is full waits instead of failing; and when it has space again. */
export function watchFreeSpace({ folder, onWarning, intervalMs = pollIntervalMs, read = readFreeBytes }: Watch): {
  close(): Promise<void>;
} {
  let isLow = false;
  const check = async (): Promise<void> => {
    const bytes = await read(folder).catch(() => Infinity);
    if (bytes < warningBytes === isLow) return;
    isLow = !isLow;
    onWarning(
      isLow
        ? `The disk of ${folder} is almost full (${toMiB(bytes)} left), so the platform may stall. Free some space; it then continues by itself.`
        : `The disk of ${folder} has space again.`,
    );
  };
  const timer = setInterval(() => void check(), intervalMs);
  timer.unref();
  return { close: async () => clearInterval(timer) };
}
