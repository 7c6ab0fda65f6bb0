import { createHash } from 'node:crypto';
import { copyFile, lstat, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EgressProxy } from '../../integrations/network/egress-proxy.ts';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { listLockFolders, type Lock, lockViolation } from './lock-violation.ts';
import { BuildFailure, type BuildPlan } from './plan-build.ts';
import { runStep } from './run-step.ts';

/** Opens the network of one build, which reaches only the registry. The labels are part of every record in the log. */
export type OpenRegistry = (labels: Record<string, string>) => Promise<EgressProxy & { registryUrl: string }>;

export type InstallDeps = { sandbox: Sandbox; openRegistry: OpenRegistry; npmCacheDir: string };
export type InstallJob = {
  /** The namespace and the name of the BuildRun. */
  namespace: string;
  name: string;
  repoUrl: string;
  install: Exclude<BuildPlan['install'], 'none'>;
  rootfs: string;
  /** A folder for this installation, which does not exist yet. */
  folder: string;
  signal: AbortSignal;
};

const commands = {
  production: 'npm ci --ignore-scripts --omit=dev --no-audit --no-fund',
  all: 'npm ci --ignore-scripts --no-audit --no-fund',
} satisfies Record<InstallJob['install'], string>;

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
  { sandbox, openRegistry, npmCacheDir }: InstallDeps,
  job: InstallJob,
): Promise<void> {
  const { namespace, name, rootfs, folder, signal } = job;
  const lock = await readLock(rootfs);
  const { registryUrl, socketPath, close } = await openRegistry({ namespace, build: name });
  try {
    const violation = lockViolation(lock, registryUrl);
    if (violation !== undefined) throw new BuildFailure(violation);
    const packages = ['', ...listLockFolders(lock)];
    await mkdir(folder);
    await copyManifests(rootfs, folder, [lock.name, ...packages.map((path) => join(path, 'package.json'))]);
    await runStep(sandbox, {
      label: 'Installing the packages',
      command: commands[job.install],
      folder,
      signal,
      network: { proxySocket: socketPath },
      mounts: [{ host: await ensureNpmCache(npmCacheDir, job), inside: '/service/npm-cache', writable: true }],
      environment: { ...npmEnvironment, npm_config_registry: registryUrl },
    });
    for (const path of packages) await moveFolder(folder, rootfs, join(path, 'node_modules'));
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Each repo of an org has its own cache, so that no org can change the packages of another one. */
async function ensureNpmCache(npmCacheDir: string, { namespace, repoUrl }: InstallJob): Promise<string> {
  const key = createHash('sha256').update(`${namespace}\0${repoUrl}`).digest('hex').slice(0, 16);
  const folder = join(npmCacheDir, key);
  await mkdir(folder, { recursive: true });
  return folder;
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
