import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Desired } from './generation.ts';

/** What a zone was synced to last, and for which Application: a later one of the same name starts with nothing. */
export type Synced = { uid: string; revision: string; desired: Desired };

/** What a state says that was written before zones had these settings. */
const ofBefore = { access: 'public', volumes: [], resources: {}, strategy: 'RollingUpdate' } as const;

/** Remembers what zones were synced to, so that they run again at once after a restart. */
export type SyncedStates = {
  read(zone: string): Promise<Synced | undefined>;
  write(zone: string, synced: Synced): Promise<void>;
  forget(zone: string): Promise<void>;
};

export async function openSyncedStates(folder: string): Promise<SyncedStates> {
  await mkdir(folder, { recursive: true });
  const fileOf = (zone: string): string => join(folder, `${zone.replace('/', '.')}.json`);
  return {
    async read(zone) {
      const text = await readFile(fileOf(zone), 'utf8').catch(() => undefined);
      if (text === undefined) return undefined;
      const { desired, ...synced } = JSON.parse(text) as Synced;
      return { ...synced, desired: { ...ofBefore, ...desired } };
    },
    async write(zone, synced) {
      await writeFile(`${fileOf(zone)}.new`, JSON.stringify(synced));
      await rename(`${fileOf(zone)}.new`, fileOf(zone));
    },
    forget: async (zone) => await rm(fileOf(zone), { force: true }),
  };
}
