import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../../processes/remove-tree.ts';
import type { Store } from '../../store/store.ts';
import { LogFile } from './log-file.ts';
import type { UsageStore } from './usage-store.ts';
import { deleteNamespaceObjects, ZoneObjects } from './zone-objects.ts';
import { ZonePods } from './zone-pods.ts';

type ZoneStorageOptions = { store: Store; dataDir: string; usage: UsageStore; log: (line: string) => void };

/** Holds the data of zones: objects in the store, log files, volumes and usage samples. */
export type ZoneStorage = {
  forZone(zone: string): { pods: ZonePods; logFile: LogFile; volumeFolder: (volume: string) => string };
  logFile(zone: string): LogFile;
  /** Deletes all data of the zone, because the next zone of its name may belong to another org. */
  deleteZoneData(zone: string): Promise<void>;
};

export async function openZoneStorage({ store, dataDir, usage, log }: ZoneStorageOptions): Promise<ZoneStorage> {
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
    forZone: (zone) => ({
      pods: new ZonePods(new ZoneObjects(store, zone, log)),
      logFile: logFile(zone),
      volumeFolder: (volume) => join(volumesDir(zone), volume),
    }),
    logFile,
    async deleteZoneData(zone) {
      await deleteNamespaceObjects(store, zone);
      await logFile(zone).remove();
      usage.deleteZone(zone);
      await removeTree(volumesDir(zone));
    },
  };
}
