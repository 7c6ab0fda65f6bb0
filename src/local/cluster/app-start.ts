import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type PackageJson = { scripts?: Record<string, string>; dependencies?: Record<string, string> };

/** A build that the app's source makes impossible; the message is for the person who wrote it. */
export class BuildFailure extends Error {}

/** What the app says of itself: how it starts, and what must be done before it can. */
export type AppPlan = { start: string; install: boolean; build: boolean };

export async function planApp(rootfs: string): Promise<AppPlan> {
  const manifest = await readPackageJson(rootfs);
  const start = (await procfileCommand(rootfs)) ?? (manifest?.scripts?.['start'] && 'npm start --silent') ?? (await staticCommand(rootfs));
  if (!start)
    throw new BuildFailure('Nothing says how to start this app: add a Procfile with a web: line, a package.json start script, or an index.html.');
  return {
    // npm is a parent that the app does not need: its script is run as it stands.
    start: start === 'npm start --silent' ? `PATH="/workspace/node_modules/.bin:$PATH"; ${manifest?.scripts?.['start'] ?? ''}` : start,
    install: Object.keys(manifest?.dependencies ?? {}).length > 0,
    build: manifest?.scripts?.['build'] !== undefined,
  };
}

/** Only a regular file is read: a link could lead anywhere. */
async function readRegular(rootfs: string, name: string): Promise<string | undefined> {
  const found = await lstat(join(rootfs, name)).catch(() => undefined);
  return found?.isFile() ? await readFile(join(rootfs, name), 'utf8') : undefined;
}

async function readPackageJson(rootfs: string): Promise<PackageJson | undefined> {
  const text = await readRegular(rootfs, 'package.json');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new BuildFailure(`package.json is not JSON: ${(error as Error).message}`);
  }
}

async function procfileCommand(rootfs: string): Promise<string | undefined> {
  const text = await readRegular(rootfs, 'Procfile');
  return text && /^web:[ \t]*(\S.*)$/m.exec(text)?.[1];
}

async function staticCommand(rootfs: string): Promise<string | undefined> {
  return (await readRegular(rootfs, 'index.html')) === undefined ? undefined : 'node /service/serve-static.mjs';
}
