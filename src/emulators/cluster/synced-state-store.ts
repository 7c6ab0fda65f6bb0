import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DesiredState } from './desired-state.ts';

/** The last synced state of a zone. The uid distinguishes a later Application of the same name. */
export type SyncedState = { uid: string; revision: string; desired: DesiredState };

/** Persists the synced states of zones, so that they run again at once after a restart. */
export type SyncedStateStore = {
  read(zone: string): Promise<SyncedState | undefined>;
  write(zone: string, synced: SyncedState): Promise<void>;
  delete(zone: string): Promise<void>;
  /** Lists the digests of the images of all zones. */
  listDigests(): Promise<string[]>;
};

export async function openSyncedStateStore(folder: string): Promise<SyncedStateStore> {
  await mkdir(folder, { recursive: true });
  const toPath = (zone: string): string => join(folder, `${zone.replace('/', '.')}.json`);
  return {
    async read(zone) {
      const text = await readFile(toPath(zone), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : (JSON.parse(text) as SyncedState);
    },
    async write(zone, synced) {
      await writeFile(`${toPath(zone)}.new`, JSON.stringify(synced));
      await rename(`${toPath(zone)}.new`, toPath(zone));
    },
    async listDigests() {
      const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      const texts = await Promise.all(names.map(async (name) => await readFile(join(folder, name), 'utf8')));
      return texts.map((text) => (JSON.parse(text) as SyncedState).desired.image.digest);
    },
    delete: async (zone) => await rm(toPath(zone), { force: true }),
  };
}
