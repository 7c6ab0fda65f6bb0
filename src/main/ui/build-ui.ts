import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { createPackageCache } from '../tools/install/create-package-cache.ts';
import { hashFiles } from '../tools/install/hash-files.ts';
import { makeOnce } from '../tools/install/make-once.ts';
import type { Tool } from '../tools/tool.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
export const uiSources = join(root, 'src', 'clients', 'ui');

/** Every file that the build reads. A missing pattern would let the API serve a stale UI. */
export const uiSourcePatterns = ['src/clients/ui/**/*.{ts,tsx,css,html,svg,json,md}', 'package-lock.json'];

/** Builds the web UI, cached with the packages by the hash of its sources. Its packages are absent in the image. */
export async function buildUi(onProgress: (message: string) => void): Promise<Tool> {
  const target = await toTarget();
  if ((await findUi()) === undefined) await createPackageCache(dirname(target));
  return await makeOnce(target, onProgress, async (workDir) => {
    onProgress('Building the web UI (once for each version)…');
    try {
      await writeBuild(workDir);
      return { path: workDir };
    } catch (error) {
      return { missing: error instanceof Error ? error.message : String(error) };
    }
  });
}

/** Builds the web UI into a folder. */
export async function writeBuild(outDir: string, plugins: Plugin[] = []): Promise<void> {
  const environment = process.env['NODE_ENV'];
  // Otherwise the build of a test would contain the development version of React, for everyone who uses the cache.
  process.env['NODE_ENV'] = 'production';
  try {
    const { build } = await import('vite');
    await build({ root: uiSources, logLevel: 'error', plugins, build: { outDir } });
  } finally {
    if (environment === undefined) delete process.env['NODE_ENV'];
    else process.env['NODE_ENV'] = environment;
  }
}

/** Returns the folder of the web UI, if it was built from the present sources. */
export async function findUi(): Promise<string | undefined> {
  const target = await toTarget();
  return await access(target).then(
    () => target,
    () => undefined,
  );
}

const toTarget = async (): Promise<string> =>
  join(root, 'node_modules', '.cache', 'ui', await hashFiles(root, uiSourcePatterns));
