import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { choosePackageManager, lockNames, type PackageManager } from './package-manager.ts';

type PackageJson = {
  scripts?: Record<string, unknown>;
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
  optionalDependencies?: Record<string, unknown>;
  packageManager?: unknown;
};

/** The source of the app cannot be built. The message is shown to its author. */
export class BuildFailure extends Error {}

/** The files of the repo's root that `planBuild` reads. */
export const planFiles = [
  'package.json',
  ...lockNames,
  'Procfile',
  'go.mod',
  'index.html',
  'public/index.html',
  'Dockerfile',
];

/** Returns why a source cannot be built, as far as its manifests tell. */
export async function planViolation(rootfs: string): Promise<string | undefined> {
  try {
    await planBuild(rootfs);
    return undefined;
  } catch (error) {
    if (error instanceof BuildFailure) return error.message;
    throw error;
  }
}

/** The start command of an app and the steps that its build needs. */
export type BuildPlan = {
  startCommand: string;
  install: 'none' | 'production' | 'all';
  hasBuildScript: boolean;
  /** Whether Go compiles the app to `goProgram`. */
  compilesGo: boolean;
  manager: PackageManager;
};

/** The path of a compiled Go app in the rootfs. */
export const goProgram = 'bin/app';

export async function planBuild(rootfs: string): Promise<BuildPlan> {
  const manifest = await readPackageJson(rootfs);
  const startScript = findStartScript(manifest);
  const compilesGo = startScript === undefined && (await findRegularFile(rootfs, 'go.mod')) !== undefined;
  const startCommand =
    (await findProcfileCommand(rootfs)) ??
    startScript ??
    (compilesGo ? `./${goProgram}` : await findStaticCommand(rootfs));
  if (!startCommand) {
    const hasDockerfile = (await findRegularFile(rootfs, 'Dockerfile')) !== undefined;
    const found = hasDockerfile
      ? 'No start command found, and a Dockerfile is not used on one machine'
      : 'No start command found';
    throw new BuildFailure(
      `${found}: add a Procfile with a web: line, a package.json start script, a go.mod, or an index.html.`,
    );
  }
  const hasBuildScript = typeof manifest?.scripts?.['build'] === 'string';
  const install = choosePackages(manifest, hasBuildScript);
  const manager = install === 'none' ? npm : await findPackageManager(rootfs, manifest);
  return { startCommand, hasBuildScript, compilesGo, install, manager };
}

function choosePackages(manifest: PackageJson | undefined, hasBuildScript: boolean): BuildPlan['install'] {
  const runtime = { ...manifest?.dependencies, ...manifest?.optionalDependencies };
  // A build script needs development packages such as compilers and bundlers.
  if (hasBuildScript && Object.keys({ ...runtime, ...manifest?.devDependencies }).length > 0) return 'all';
  return Object.keys(runtime).length > 0 ? 'production' : 'none';
}

const npm: PackageManager = { name: 'npm', lockName: 'package-lock.json', version: '' };

async function findPackageManager(rootfs: string, manifest: PackageJson | undefined): Promise<PackageManager> {
  const locks = new Map<string, string>();
  for (const name of lockNames) {
    const text = await readRegularFile(rootfs, name);
    if (text !== undefined) locks.set(name, text);
  }
  const manager = choosePackageManager(locks, manifest?.packageManager);
  if (manager === undefined)
    throw new BuildFailure(
      'package.json has dependencies but package-lock.json is missing: run npm install and commit the lock file. The lock files of pnpm and yarn are accepted too.',
    );
  if (manager.name === 'npm') assertLocked(manifest, manager.lockName, locks.get(manager.lockName) ?? '');
  return manager;
}

function assertLocked(manifest: PackageJson | undefined, lockName: string, lock: string): void {
  const { packages } = parseJson(lockName, lock) as { packages?: Record<string, unknown> };
  const direct = Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies });
  const missing = packages === undefined ? [] : direct.filter((name) => packages[`node_modules/${name}`] === undefined);
  if (missing.length > 0)
    throw new BuildFailure(
      `${lockName} does not contain ${missing.join(', ')} of package.json: run npm install and commit the lock file.`,
    );
}

/** Returns the script itself, because `npm start` would not forward signals to the app. */
function findStartScript(manifest: PackageJson | undefined): string | undefined {
  let script = manifest?.scripts?.['start'];
  // No package manager is present where the app runs, so a script that only starts another one is replaced by that.
  for (let depth = 0; depth < 5 && typeof script === 'string'; depth += 1) {
    const next = /^(?:npm run|pnpm(?: run)?|yarn(?: run)?) ([\w:.-]+)$/.exec(script.trim())?.[1];
    if (next === undefined || typeof manifest?.scripts?.[next] !== 'string') break;
    script = manifest.scripts[next];
  }
  return typeof script === 'string' && script.trim()
    ? `PATH="/workspace/node_modules/.bin:$PATH"; ${script}`
    : undefined;
}

/** The files are read and parsed in the process that all orgs share. */
const manifestBytesMax = 16 * 1024 ** 2;

async function readRegularFile(rootfs: string, name: string): Promise<string | undefined> {
  const found = await findRegularFile(rootfs, name);
  if (found && found.size > manifestBytesMax)
    throw new BuildFailure(`${name} has more than ${manifestBytesMax / 1024 ** 2} MiB, which is too large to read.`);
  return found && (await readFile(join(rootfs, name), 'utf8'));
}

/** Links are not followed, because they could lead out of the rootfs. */
async function findRegularFile(rootfs: string, name: string): Promise<{ size: number } | undefined> {
  const found = await lstat(join(rootfs, name)).catch(() => undefined);
  return found?.isFile() ? found : undefined;
}

async function readPackageJson(rootfs: string): Promise<PackageJson | undefined> {
  const text = await readRegularFile(rootfs, 'package.json');
  return text === undefined ? undefined : (parseJson('package.json', text) as PackageJson);
}

function parseJson(name: string, text: string): object {
  try {
    return (JSON.parse(text) as object | null) ?? {};
  } catch (error) {
    throw new BuildFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
}

async function findProcfileCommand(rootfs: string): Promise<string | undefined> {
  const text = await readRegularFile(rootfs, 'Procfile');
  return text && /^web:[ \t]*(\S.*)$/m.exec(text)?.[1];
}

async function findStaticCommand(rootfs: string): Promise<string | undefined> {
  for (const folder of ['.', 'public'])
    if ((await findRegularFile(rootfs, join(folder, 'index.html'))) !== undefined)
      return `node /service/serve-static.mjs ${folder}`;
  return undefined;
}
