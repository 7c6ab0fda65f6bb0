import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type PackageJson = {
  scripts?: Record<string, unknown>;
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
  optionalDependencies?: Record<string, unknown>;
};

/** A build that the app's source makes impossible; the message is for the person who wrote it. */
export class BuildFailure extends Error {}

/** What the app says of itself: how it starts, and what must be done before it can. */
export type AppPlan = { start: string; install: 'nothing' | 'what-it-runs-with' | 'everything'; build: boolean };

export async function planApp(rootfs: string): Promise<AppPlan> {
  const manifest = await readPackageJson(rootfs);
  const start = (await procfileCommand(rootfs)) ?? startScript(manifest) ?? (await staticCommand(rootfs));
  if (!start)
    throw new BuildFailure(
      'Nothing says how to start this app: add a Procfile with a web: line, a package.json start script, or an index.html.',
    );
  const build = typeof manifest?.scripts?.['build'] === 'string';
  const install = packagesToInstall(manifest, build);
  if (install !== 'nothing' && !(await isLocked(rootfs)))
    throw new BuildFailure(
      'package.json has dependencies and there is no package-lock.json that says which: run npm install and commit it.',
    );
  return { start, build, install };
}

function packagesToInstall(manifest: PackageJson | undefined, build: boolean): AppPlan['install'] {
  const toRun = { ...manifest?.dependencies, ...manifest?.optionalDependencies };
  // A build script is written with what only development needs: compilers, bundlers.
  if (build && Object.keys({ ...toRun, ...manifest?.devDependencies }).length > 0) return 'everything';
  return Object.keys(toRun).length > 0 ? 'what-it-runs-with' : 'nothing';
}

async function isLocked(rootfs: string): Promise<boolean> {
  const names = ['package-lock.json', 'npm-shrinkwrap.json'];
  return (await Promise.all(names.map(async (name) => await readRegular(rootfs, name)))).some(
    (text) => text !== undefined,
  );
}

/** The script itself: npm would be a parent that the app does not need, and that keeps signals to itself. */
function startScript(manifest: PackageJson | undefined): string | undefined {
  const script = manifest?.scripts?.['start'];
  return typeof script === 'string' && script.trim()
    ? `PATH="/workspace/node_modules/.bin:$PATH"; ${script}`
    : undefined;
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
