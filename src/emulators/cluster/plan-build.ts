import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';

type PackageJson = {
  scripts?: Record<string, unknown>;
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
  optionalDependencies?: Record<string, unknown>;
};

/** The source of the app cannot be built. The message is shown to its author. */
export class BuildFailure extends Error {}

/** The start command of an app and the steps that its build needs. */
export type BuildPlan = { startCommand: string; install: 'none' | 'production' | 'all'; hasBuildScript: boolean };

export async function planBuild(rootfs: string): Promise<BuildPlan> {
  const manifest = await readPackageJson(rootfs);
  const startCommand =
    (await findProcfileCommand(rootfs)) ?? findStartScript(manifest) ?? (await findStaticCommand(rootfs));
  if (!startCommand)
    throw new BuildFailure(
      'No start command found: add a Procfile with a web: line, a package.json start script, or an index.html.',
    );
  const hasBuildScript = typeof manifest?.scripts?.['build'] === 'string';
  const install = requiredPackages(manifest, hasBuildScript);
  if (install !== 'none' && !(await hasLockfile(rootfs)))
    throw new BuildFailure(
      'package.json has dependencies but package-lock.json is missing: run npm install and commit the lock file.',
    );
  return { startCommand, hasBuildScript, install };
}

function requiredPackages(manifest: PackageJson | undefined, hasBuildScript: boolean): BuildPlan['install'] {
  const runtime = { ...manifest?.dependencies, ...manifest?.optionalDependencies };
  // A build script needs development packages such as compilers and bundlers.
  if (hasBuildScript && Object.keys({ ...runtime, ...manifest?.devDependencies }).length > 0) return 'all';
  return Object.keys(runtime).length > 0 ? 'production' : 'none';
}

async function hasLockfile(rootfs: string): Promise<boolean> {
  const names = ['package-lock.json', 'npm-shrinkwrap.json'];
  return (await Promise.all(names.map(async (name) => await readRegularFile(rootfs, name)))).some(
    (text) => text !== undefined,
  );
}

/** Returns the script itself, because `npm start` would not forward signals to the app. */
function findStartScript(manifest: PackageJson | undefined): string | undefined {
  const script = manifest?.scripts?.['start'];
  return typeof script === 'string' && script.trim()
    ? `PATH="/workspace/node_modules/.bin:$PATH"; ${script}`
    : undefined;
}

/** Links are not read, because they could lead out of the rootfs. */
async function readRegularFile(rootfs: string, name: string): Promise<string | undefined> {
  const found = await lstat(join(rootfs, name)).catch(() => undefined);
  return found?.isFile() ? await readFile(join(rootfs, name), 'utf8') : undefined;
}

async function readPackageJson(rootfs: string): Promise<PackageJson | undefined> {
  const text = await readRegularFile(rootfs, 'package.json');
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as PackageJson;
  } catch (error) {
    throw new BuildFailure(`package.json is not JSON: ${(error as Error).message}`);
  }
}

async function findProcfileCommand(rootfs: string): Promise<string | undefined> {
  const text = await readRegularFile(rootfs, 'Procfile');
  return text && /^web:[ \t]*(\S.*)$/m.exec(text)?.[1];
}

async function findStaticCommand(rootfs: string): Promise<string | undefined> {
  return (await readRegularFile(rootfs, 'index.html')) === undefined ? undefined : 'node /service/serve-static.mjs';
}
