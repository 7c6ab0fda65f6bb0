import { join } from 'node:path';
import { type GitSource, fetchCommit } from './fetch-commit.ts';
import type { ImageStore } from './image-store.ts';
import { managerMounts, withManager } from './ensure-package-manager.ts';
import { type InstallDeps, installPackages } from './install-packages.ts';
import { BuildFailure, planBuild } from './plan-build.ts';
import { compileGo, type GoDeps } from './compile-go.ts';
import { runStep } from './run-step.ts';

export type BuildDeps = InstallDeps & GoDeps & { images: ImageStore };

/** The source of a BuildRun. */
export type BuildJob = { namespace: string; name: string; source: GitSource; authorization?: string | undefined };

/** Builds the image of one commit. The same commit results in the same digest. */
export async function buildImage(
  deps: BuildDeps,
  { namespace, name, source, authorization }: BuildJob,
  signal: AbortSignal,
): Promise<{ digest: string; size: number }> {
  if (!/^[0-9a-f]{40}$/.test(source.revision)) throw new BuildFailure(`"${source.revision}" is not a commit.`);
  const { folder, rootfs } = await deps.images.createWorkspace();
  try {
    await fetchCommit(source, folder, { authorization, signal });
    const { install, hasBuildScript, compilesGo, startCommand, manager } = await planBuild(rootfs);
    if (install !== 'none') {
      const job = { namespace, name, repoUrl: source.url, install, manager, rootfs, signal };
      await installPackages(deps, { ...job, folder: join(folder, 'install') });
    }
    if (hasBuildScript) {
      const environment = { npm_config_cache: '/tmp/npm-cache' };
      const mounts = managerMounts(deps.managersDir, manager);
      const command = withManager(manager, 'npm run build');
      await runStep(deps.sandbox, { label: 'The build script', command, folder: rootfs, environment, mounts, signal });
    }
    if (compilesGo) await compileGo(deps, { namespace, repoUrl: source.url, rootfs, signal });
    return await deps.images.save(folder, { startCommand, commit: source.revision });
  } catch (error) {
    await deps.images.discard(folder);
    throw error;
  }
}
