import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox, SandboxRequest } from '../../integrations/sandbox/sandbox.ts';
import { type PackageManager, managerPackage } from './package-manager.ts';
import { markAsUsed } from './prune-caches.ts';
import { runStep } from './run-step.ts';

const inside = '/service/manager';

type Download = {
  sandbox: Sandbox;
  managersDir: string;
  folder: string;
  proxySocket: string;
  environment: Record<string, string>;
  signal: AbortSignal;
};

/** Returns the mount of a manager, which is downloaded once. npm is part of every sandbox. */
export async function ensurePackageManager(
  manager: PackageManager,
  { sandbox, managersDir, folder, proxySocket, environment, signal }: Download,
): Promise<NonNullable<SandboxRequest['mounts']>> {
  if (manager.name === 'npm') return [];
  const host = managerFolder(managersDir, manager);
  if (await stat(host).catch(() => undefined)) await markAsUsed(host);
  else {
    await mkdir(folder, { recursive: true });
    await runStep(sandbox, {
      label: `Downloading ${manager.name} ${manager.version}`,
      command: `npm install --ignore-scripts --no-audit --no-fund --prefix . ${managerPackage(manager)}@${manager.version}`,
      folder,
      signal,
      network: { proxySocket },
      environment: { ...environment, npm_config_cache: '/tmp/npm-cache' },
    });
    await mkdir(managersDir, { recursive: true });
    await rename(folder, host).catch(async () => await rm(folder, { recursive: true, force: true }));
  }
  return managerMounts(managersDir, manager);
}

const managerFolder = (managersDir: string, { name, version }: PackageManager): string =>
  join(managersDir, `${name}-${version}`);

/** No step can change a manager, because all repos share it. */
export const managerMounts = (managersDir: string, manager: PackageManager): NonNullable<SandboxRequest['mounts']> =>
  manager.name === 'npm' ? [] : [{ host: managerFolder(managersDir, manager), inside, writable: false }];

/** Runs a command with the manager on PATH. */
export const withManager = ({ name }: PackageManager, command: string): string =>
  name === 'npm' ? command : `PATH="${inside}/node_modules/.bin:$PATH"; export PATH; ${command}`;
