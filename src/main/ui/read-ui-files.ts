import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { getMimeType } from 'hono/utils/mime';
import type { UiFiles } from '../../../api/ui/ui-files.ts';

/** Reads a build of the web UI into memory; it has some hundred kilobytes. */
export async function readUiFiles(folder: string): Promise<UiFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(async (file): Promise<[string, { body: Uint8Array<ArrayBuffer>; type: string }]> => [
    `/${relative(folder, file)}`,
    { body: new Uint8Array(await readFile(file)), type: getMimeType(file) ?? 'application/octet-stream' },
  ]);
  return new Map(await Promise.all(read));
}
