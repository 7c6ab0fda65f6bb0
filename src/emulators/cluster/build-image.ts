import { join } from 'node:path';
import { type GitSource, fetchCommit } from './fetch-commit.ts';
import type { ImageStore } from './image-store.ts';
import { type InstallDeps, installPackages } from './install-packages.ts';
import { BuildFailure, planBuild } from './plan-build.ts';
import type { CredentialsFor } from './run-git.ts';
import { runStep } from './run-step.ts';

export type BuildDeps = InstallDeps & { images: ImageStore; credentialsFor: CredentialsFor };

/** The source of a BuildRun. */
export type BuildJob = { namespace: string; name: string; source: GitSource };

/** Builds the image of one commit. The same commit results in the same digest. */
export async function buildImage(
  deps: BuildDeps,
  { namespace, name, source }: BuildJob,
  signal: AbortSignal,
): Promise<{ digest: string; size: number }> {
  if (!/^[0-9a-f]{40}$/.test(source.revision)) throw new BuildFailure(`"${source.revision}" is not a commit.`);
  const { folder, rootfs } = await deps.images.createWorkspace();
  try {
    await fetchCommit(source, folder, { authorization: await deps.credentialsFor(source.url), signal });
    const { install, hasBuildScript, startCommand } = await planBuild(rootfs);
    if (install !== 'none') {
      const job = { namespace, name, repoUrl: source.url, install, rootfs, folder: join(folder, 'install'), signal };
      await installPackages(deps, job);
    }
    if (hasBuildScript) {
      const environment = { npm_config_cache: '/tmp/npm-cache' };
      const step = { label: 'The build script', command: 'npm run build', folder: rootfs, environment, signal };
      await runStep(deps.sandbox, step);
    }
    return await deps.images.save(folder, { startCommand, commit: source.revision });
  } catch (error) {
    await deps.images.discard(folder);
    throw error;
  }
}
