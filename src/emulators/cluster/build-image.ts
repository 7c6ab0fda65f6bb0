import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { type BuildPlan, BuildFailure, planBuild } from './plan-build.ts';
import { type GitSource, fetchCommit } from './fetch-commit.ts';
import type { CredentialsFor } from './run-git.ts';
import type { ImageStore } from './image-store.ts';

export type BuildDeps = { sandbox: Sandbox; images: ImageStore; npmCacheDir: string; credentialsFor: CredentialsFor };

const stepTimeoutMs = 10 * 60_000;

const installCommands = {
  production: 'npm ci --ignore-scripts --omit=dev --no-audit --no-fund',
  all: 'npm ci --ignore-scripts --no-audit --no-fund',
} satisfies Record<Exclude<BuildPlan['install'], 'none'>, string>;

/** Builds the image of one commit. The same commit results in the same digest. */
export async function buildImage(
  deps: BuildDeps,
  source: GitSource,
  signal: AbortSignal,
): Promise<{ digest: string; size: number }> {
  if (!/^[0-9a-f]{40}$/.test(source.revision)) throw new BuildFailure(`"${source.revision}" is not a commit.`);
  const { folder, rootfs } = await deps.images.createWorkspace();
  try {
    await fetchCommit(source, folder, { authorization: await deps.credentialsFor(source.url), signal });
    const plan = await planBuild(rootfs);
    const step = createStepRunner(deps, { rootfs, signal, npmCache: await ensureNpmCache(deps, source) });
    if (plan.install !== 'none') await step('Installing the packages', installCommands[plan.install], true);
    if (plan.hasBuildScript) await step('The build script', 'npm run build', false);
    return await deps.images.save(folder, { startCommand: plan.startCommand, commit: source.revision });
  } catch (error) {
    await deps.images.discard(folder);
    throw error;
  }
}

/** Each repo has its own cache, because its build can write to it. */
async function ensureNpmCache({ npmCacheDir }: BuildDeps, { url }: GitSource): Promise<string> {
  const folder = join(npmCacheDir, createHash('sha256').update(url).digest('hex').slice(0, 16));
  await mkdir(folder, { recursive: true });
  return folder;
}

type StepContext = { rootfs: string; npmCache: string; signal: AbortSignal };

const createStepRunner =
  ({ sandbox }: BuildDeps, { rootfs, npmCache, signal }: StepContext) =>
  async (label: string, command: string, network: boolean): Promise<void> => {
    const { exitCode, timedOut, output } = await sandbox.run(
      {
        argv: ['/bin/sh', '-c', command],
        workspace: { path: rootfs, writable: true },
        mounts: network ? [{ host: npmCache, inside: '/service/npm-cache', writable: true }] : [],
        network,
        environment: {
          npm_config_cache: network ? '/service/npm-cache' : '/tmp/npm-cache',
          npm_config_update_notifier: 'false',
          // Errors would end with the path of a log file that is deleted with the sandbox.
          npm_config_logs_max: '0',
          npm_config_fetch_retries: '1',
          // A company proxy may re-sign registry traffic with a certificate that only the system trusts.
          ...(network ? { NODE_OPTIONS: '--use-system-ca' } : {}),
        },
      },
      { timeoutMs: stepTimeoutMs, outputBytesMax: 8_000, signal },
    );
    signal.throwIfAborted();
    if (exitCode === 0) return;
    const cause = timedOut ? `took longer than ${stepTimeoutMs / 60_000} minutes` : `ended with status ${exitCode}`;
    throw new BuildFailure(`${label} failed (${cause}):\n${truncateOutput(output)}`);
  };

const headLines = 8;
const tailLines = 12;

/** Most programs report the error last, and some report it first, so both ends are kept. */
function truncateOutput(output: string): string {
  const lines = output.trim().split('\n');
  if (lines.length <= headLines + tailLines) return lines.join('\n');
  return [...lines.slice(0, headLines), '…', ...lines.slice(-tailLines)].join('\n');
}
