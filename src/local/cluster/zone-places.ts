import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Store } from '../../store/store.ts';
import { LogFile } from './app-log.ts';
import type { UsageRecord } from './usage.ts';
import { clearNamespace, ZoneObjects } from './zone-objects.ts';
import { ZonePods } from './zone-pods.ts';

type PlacesOptions = { store: Store; dataDir: string; usage: UsageRecord; log: (line: string) => void };

/** Where zones leave what they write: objects in the store, log files, volumes and what they used. */
export type ZonePlaces = {
  of(zone: string): { pods: ZonePods; logFile: LogFile; volumeFolder: (volume: string) => string };
  logFile(zone: string): LogFile;
  /** Nothing of it stays: the next zone of its name may be somebody else's. */
  clear(zone: string): Promise<void>;
};

export async function openZonePlaces({ store, dataDir, usage, log }: PlacesOptions): Promise<ZonePlaces> {
  const logsDir = join(dataDir, 'logs');
  await mkdir(logsDir, { recursive: true });
  const volumesDir = (zone: string): string => join(dataDir, 'volumes', zone);
  const logFiles = new Map<string, LogFile>();
  const logFile = (zone: string): LogFile => {
    const file = logFiles.get(zone) ?? new LogFile(join(logsDir, `${zone}.log`));
    logFiles.set(zone, file);
    return file;
  };
  return {
    of: (zone) => ({
      pods: new ZonePods(new ZoneObjects(store, zone, log)),
      logFile: logFile(zone),
      volumeFolder: (volume) => join(volumesDir(zone), volume),
    }),
    logFile,
    async clear(zone) {
      await clearNamespace(store, zone);
      await logFile(zone).remove();
      usage.forget(zone);
      await rm(volumesDir(zone), { recursive: true, force: true });
    },
  };
}
