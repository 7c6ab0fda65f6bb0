import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from '../../rules/resource.ts';

/** Returns why a program would reject a file, or undefined. */
export type CheckFile = (file: string) => Promise<string | undefined>;

/** The files of one kind of configuration, which a program reads after a reload. */
export type ConfigFolder = {
  readonly path: string;
  /** Writes a file if its content differs and the check accepts it. A rejected file is removed, and `onReject` called. */
  write(name: string, content: object, options?: WriteOptions): Promise<void>;
  has(name: string): Promise<boolean>;
  /** Removes all files but these. */
  keepOnly(names: readonly string[]): Promise<void>;
  /** Returns whether a file changed since the last call. */
  takeChanged(): boolean;
};
type WriteOptions = { check?: CheckFile; onReject?: (reason: string) => void };

/** Opens the folder, whose files hold secrets and are readable by their owner only. */
export async function openConfigFolder(path: string): Promise<ConfigFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  /** A rejected content is checked again only when it changes. */
  const rejected = new Map<string, string>();
  let isChanged = false;
  const remove = async (name: string): Promise<void> => {
    await rm(join(path, name));
    isChanged = true;
  };
  const has = async (name: string): Promise<boolean> => (await readdir(path)).includes(name);
  return {
    path,
    has,
    async write(name, content, { check, onReject } = {}) {
      // Prometheus and Alertmanager read YAML, and JSON is valid YAML.
      const text = JSON.stringify(content, undefined, 2);
      if (rejected.get(name) === text) return;
      if ((await readFile(join(path, name), 'utf8').catch(() => undefined)) === text) return;
      const candidate = join(path, `${name}.new`);
      await writeFile(candidate, text, { mode: 0o600 });
      const reason = await check?.(candidate);
      if (reason === undefined) {
        rejected.delete(name);
        await rename(candidate, join(path, name));
        isChanged = true;
        return;
      }
      rejected.set(name, text);
      await rm(candidate);
      if (await has(name)) await remove(name);
      onReject?.(reason);
    },
    async keepOnly(names) {
      for (const name of await readdir(path)) if (!names.includes(name)) await remove(name);
      for (const name of rejected.keys()) if (!names.includes(name)) rejected.delete(name);
    },
    takeChanged() {
      const wasChanged = isChanged;
      isChanged = false;
      return wasChanged;
    },
  };
}

/** Names the file of an object; the uid separates it from a later object of the same name. */
export const toFileName = ({ namespace, name, uid }: Metadata): string => `${namespace}-${name}-${uid}.yml`;
