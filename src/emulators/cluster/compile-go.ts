import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { ensureRepoCache } from './ensure-repo-cache.ts';
import { BuildFailure, goProgram } from './plan-build.ts';
import { runStep } from './run-step.ts';

export type GoDeps = {
  sandbox: Sandbox;
  /** The folder of the machine's Go; undefined if Go is not installed. */
  goRoot?: string | undefined;
  goCacheDir: string;
};

type GoJob = { namespace: string; repoUrl: string; rootfs: string; signal: AbortSignal };

/** Without a network, so modules other than the standard library must be in the folder `vendor` of the repo. */
const goEnvironment = {
  CGO_ENABLED: '0',
  GOCACHE: '/service/go-cache',
  GOENV: 'off',
  GOPROXY: 'off',
  GOTELEMETRY: 'off',
  GOTOOLCHAIN: 'local',
};

/** Compiles the main package of a repo to `goProgram`. Equal sources give equal programs. */
export async function compileGo(
  { sandbox, goRoot, goCacheDir }: GoDeps,
  { rootfs, signal, ...repo }: GoJob,
): Promise<void> {
  if (goRoot === undefined)
    throw new BuildFailure('The app needs Go, which is not installed: install Go (https://go.dev/dl) and start again.');
  const cache = { host: await ensureRepoCache(goCacheDir, repo), inside: '/service/go-cache', writable: true };
  await runStep(sandbox, {
    label: 'Compiling the app with Go',
    command: `"${goRoot}/bin/go" build -trimpath -buildvcs=false -o ${goProgram} .`,
    folder: rootfs,
    environment: goEnvironment,
    mounts: [cache, ...goMounts(goRoot)],
    signal,
  });
}

/** The sandbox contains `/usr` already. */
const goMounts = (goRoot: string): { host: string; inside: string; writable: boolean }[] =>
  goRoot.startsWith('/usr/') ? [] : [{ host: goRoot, inside: goRoot, writable: false }];
