import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import { type AppPlan, BuildFailure, planApp } from './app-start.ts';
import { type Source, fetchCommit } from './fetch-commit.ts';
import type { CredentialsFor } from './git.ts';
import type { ImageStore } from './image-store.ts';

export type BuildDeps = { sandbox: Sandbox; images: ImageStore; npmCacheDir: string; credentialsFor: CredentialsFor };

const stepTimeoutMs = 10 * 60_000;

const install = {
  'what-it-runs-with': 'npm ci --ignore-scripts --omit=dev --no-audit --no-fund',
  everything: 'npm ci --ignore-scripts --no-audit --no-fund',
} satisfies Record<Exclude<AppPlan['install'], 'nothing'>, string>;

/** Makes the image of one commit; the same commit gives the same digest. */
export async function buildImage(
  deps: BuildDeps,
  source: Source,
  signal: AbortSignal,
): Promise<{ digest: string; size: number }> {
  if (!/^[0-9a-f]{40}$/.test(source.revision)) throw new BuildFailure(`"${source.revision}" is not a commit.`);
  const { folder, rootfs } = await deps.images.workspace();
  try {
    await fetchCommit(source, folder, { authorization: await deps.credentialsFor(source.url), signal });
    const plan = await planApp(rootfs);
    const step = stepIn(deps, { rootfs, signal, npmCache: await npmCacheOf(deps, source) });
    if (plan.install !== 'nothing') await step('Installing the packages', install[plan.install], true);
    if (plan.build) await step('The build script', 'npm run build', false);
    return await deps.images.keep(folder, { start: plan.start, commit: source.revision });
  } catch (error) {
    await deps.images.discard(folder);
    throw error;
  }
}

/** One for each repo, since what builds in the sandbox can write to it. */
async function npmCacheOf({ npmCacheDir }: BuildDeps, { url }: Source): Promise<string> {
  const folder = join(npmCacheDir, createHash('sha256').update(url).digest('hex').slice(0, 16));
  await mkdir(folder, { recursive: true });
  return folder;
}

type StepPlace = { rootfs: string; npmCache: string; signal: AbortSignal };

const stepIn =
  ({ sandbox }: BuildDeps, { rootfs, npmCache, signal }: StepPlace) =>
  async (what: string, command: string, network: boolean): Promise<void> => {
    const { exitCode, timedOut, output } = await sandbox.run(
      {
        argv: ['/bin/sh', '-c', command],
        workspace: { path: rootfs, writable: true },
        mounts: network ? [{ host: npmCache, inside: '/service/npm-cache', writable: true }] : [],
        network,
        environment: {
          npm_config_cache: network ? '/service/npm-cache' : '/tmp/npm-cache',
          npm_config_update_notifier: 'false',
          // Its log would be named at the end of an error, and nobody could read it.
          npm_config_logs_max: '0',
          npm_config_fetch_retries: '1',
          // Where a company's proxy signs for the registry, the machine knows its certificate and npm does not.
          ...(network ? { NODE_OPTIONS: '--use-system-ca' } : {}),
        },
      },
      { timeoutMs: stepTimeoutMs, outputBytesMax: 8_000, signal },
    );
    signal.throwIfAborted();
    if (exitCode === 0) return;
    const how = timedOut ? `took longer than ${stepTimeoutMs / 60_000} minutes` : `ended with status ${exitCode}`;
    throw new BuildFailure(`${what} failed (${how}):\n${ends(output)}`);
  };

const headLines = 8;
const tailLines = 12;

/** Most programs say what is wrong last, and some first, before they explain themselves. */
function ends(output: string): string {
  const lines = output.trim().split('\n');
  if (lines.length <= headLines + tailLines) return lines.join('\n');
  return [...lines.slice(0, headLines), '…', ...lines.slice(-tailLines)].join('\n');
}
