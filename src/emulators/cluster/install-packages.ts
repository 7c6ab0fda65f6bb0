import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EgressProxy } from '../../integrations/network/egress-proxy.ts';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { listLockFolders, type Lock, lockViolation } from './lock-violation.ts';
import { ensureRepoCache } from './ensure-repo-cache.ts';
import { ensurePackageManager, withManager } from './ensure-package-manager.ts';
import { installCommand, managerEnvironment, type PackageManager } from './package-manager.ts';
import { BuildFailure, type BuildPlan } from './plan-build.ts';
import { runStep } from './run-step.ts';

/** Opens the network of one build, which reaches only the registry. The labels are part of every record in the log. */
export type OpenRegistry = (labels: Record<string, string>) => Promise<EgressProxy & { registryUrl: string }>;

export type InstallDeps = {
  sandbox: Sandbox;
  openRegistry: OpenRegistry;
  npmCacheDir: string;
  /** The folder of all downloaded package managers. */
  managersDir: string;
};
export type InstallJob = {
  /** The namespace and the name of the BuildRun. */
  namespace: string;
  name: string;
  repoUrl: string;
  install: Exclude<BuildPlan['install'], 'none'>;
  manager: PackageManager;
  rootfs: string;
  /** A folder for this installation, which does not exist yet. */
  folder: string;
  signal: AbortSignal;
};

/** No program and no setting of the repo takes part in an installation, because the installation has a network. */
const npmEnvironment = {
  npm_config_userconfig: '/nonexistent/user',
  npm_config_globalconfig: '/nonexistent/global',
  npm_config_git: '/bin/false',
  npm_config_allow_git: 'none',
  npm_config_allow_remote: 'none',
  npm_config_cache: '/service/npm-cache',
  npm_config_fetch_retries: '1',
  // Even a registry on loopback is reached through the proxy.
  npm_config_noproxy: '',
  NO_PROXY: '',
  no_proxy: '',
};

/** Installs the packages of the lock file in a folder that has only the manifests of the repo, and moves them to the rootfs. */
export async function installPackages(
  { sandbox, openRegistry, npmCacheDir, managersDir }: InstallDeps,
  job: InstallJob,
): Promise<void> {
  const { namespace, name, rootfs, folder, manager, signal } = job;
  const { registryUrl, socketPath, close } = await openRegistry({ namespace, build: name });
  const environment = {
    ...npmEnvironment,
    npm_config_registry: registryUrl,
    ...(manager.name === 'npm' ? {} : managerEnvironment(registryUrl)),
  };
  const network = { proxySocket: socketPath };
  const managerFolder = `${folder}-manager`;
  try {
    await mkdir(folder);
    const packages =
      manager.name === 'npm'
        ? await prepareNpm(rootfs, folder, registryUrl)
        : await prepareOtherManager(manager, { rootfs, folder, registryUrl });
    const download = { sandbox, managersDir, folder: managerFolder, ...network, environment, signal };
    const managerMounts = await ensurePackageManager(manager, download);
    const cache = { host: await ensureRepoCache(npmCacheDir, job), inside: '/service/npm-cache', writable: true };
    await runStep(sandbox, {
      label: 'Installing the packages',
      command: withManager(manager, installCommand(manager, job.install === 'production')),
      folder,
      signal,
      network,
      mounts: [cache, ...managerMounts],
      environment,
    });
    for (const path of packages) await moveFolder(folder, rootfs, join(path, 'node_modules'));
  } finally {
    await close();
    for (const path of [folder, managerFolder]) await rm(path, { recursive: true, force: true });
  }
}

/** Copies the manifests of the repo, and returns the folders of its packages. */
async function prepareNpm(rootfs: string, folder: string, registryUrl: string): Promise<string[]> {
  const lock = await readLock(rootfs);
  const violation = lockViolation(lock, registryUrl);
  if (violation !== undefined) throw new BuildFailure(violation);
  const packages = ['', ...listLockFolders(lock)];
  await copyManifests(rootfs, folder, [lock.name, ...packages.map((path) => join(path, 'package.json'))]);
  return packages;
}

type Preparation = { rootfs: string; folder: string; registryUrl: string };

/** The network reaches only the registry, so a package from another place fails the installation. */
async function prepareOtherManager(
  { lockName }: PackageManager,
  { rootfs, folder, registryUrl }: Preparation,
): Promise<string[]> {
  const packages = await listPackageFolders(rootfs);
  const manifests = packages.map((path) => join(path, 'package.json'));
  await copyManifests(rootfs, folder, [lockName, 'pnpm-workspace.yaml', ...manifests]);
  const lock = await readFile(join(folder, lockName), 'utf8');
  // The first yarn requests the addresses of its lock file, which name the public registry.
  const replaced = lock.replaceAll(/https:\/\/registry\.(?:npmjs\.org|yarnpkg\.com)\//g, registryUrl);
  await writeFile(join(folder, lockName), replaced);
  return packages;
}

async function listPackageFolders(rootfs: string, folder = '', depth = 0): Promise<string[]> {
  const entries = await readdir(join(rootfs, folder), { withFileTypes: true });
  const own = entries.some((entry) => entry.isFile() && entry.name === 'package.json') ? [folder] : [];
  const nested = entries.filter((entry) => entry.isDirectory() && !['node_modules', '.git'].includes(entry.name));
  if (depth >= 4) return own;
  const found = await Promise.all(
    nested.map(async ({ name }) => await listPackageFolders(rootfs, join(folder, name), depth + 1)),
  );
  return [...own, ...found.flat()];
}

async function readLock(rootfs: string): Promise<Lock> {
  // npm prefers a shrinkwrap, too.
  for (const name of ['npm-shrinkwrap.json', 'package-lock.json']) {
    if (!(await isRealFile(rootfs, name))) continue;
    const text = await readFile(join(rootfs, name), 'utf8');
    try {
      return { name, content: (JSON.parse(text) ?? {}) as Lock['content'] };
    } catch (error) {
      throw new BuildFailure(`${name} is not JSON: ${(error as Error).message}`);
    }
  }
  throw new BuildFailure('package-lock.json is missing: run npm install and commit the lock file.');
}

async function copyManifests(rootfs: string, folder: string, paths: string[]): Promise<void> {
  for (const path of paths) {
    if (!(await isRealFile(rootfs, path))) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(rootfs, path), join(folder, path));
  }
}

async function moveFolder(from: string, to: string, path: string): Promise<void> {
  const isInstalled = await lstat(join(from, path)).catch(() => undefined);
  if (!isInstalled || !(await hasRealFolders(to, dirname(path)))) return;
  await rm(join(to, path), { recursive: true, force: true });
  await rename(join(from, path), join(to, path));
}

/** Links of the repo are not followed, because they could lead out of the rootfs. No process of the repo runs meanwhile. */
async function isRealFile(root: string, path: string): Promise<boolean> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  return found?.isFile() === true && (await hasRealFolders(root, dirname(path)));
}

async function hasRealFolders(root: string, folder: string): Promise<boolean> {
  const parts = folder === '.' ? [] : folder.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const found = await lstat(join(root, ...parts.slice(0, depth))).catch(() => undefined);
    if (!found?.isDirectory()) return false;
  }
  return true;
}
