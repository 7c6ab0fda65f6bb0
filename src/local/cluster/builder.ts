import type { BuildRun } from '../../rules/environments/delivery-kinds.ts';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { Store } from '../../store/store.ts';
import { BuildFailure, planApp } from './app-start.ts';
import { follow } from './follow.ts';
import { type CredentialsFor, git, mirror } from './git.ts';
import { type ImageStore, extractCommit } from './image-store.ts';
import { BuildRunKind } from './kinds.ts';

export type BuilderDeps = {
  store: Store;
  sandbox: Sandbox;
  images: ImageStore;
  sourcesDir: string;
  credentialsFor: CredentialsFor;
  log: (line: string) => void;
};

const minutes = 60_000;

/** Builds what BuildRuns ask for, one at a time; what was unfinished when a process died is built again. */
export async function runBuilder(deps: BuilderDeps, signal: AbortSignal): Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const queued = new Set<string>();
  await follow(deps.store, BuildRunKind, {
    signal,
    async see(buildRun) {
      const { uid } = buildRun.metadata;
      if (isSettled(buildRun) || queued.has(uid)) return;
      queued.add(uid);
      last = last.then(async () => {
        if (!signal.aborted) await build(deps, buildRun);
        queued.delete(uid);
      });
    },
    async gone() {},
  });
  await last;
}

const isSettled = ({ status }: BuildRun): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Succeeded' && value !== 'Unknown') ?? false;

async function build(deps: BuilderDeps, { metadata, spec }: BuildRun): Promise<void> {
  const ref = { namespace: metadata.namespace, name: metadata.name };
  const startTime = new Date().toISOString();
  const write = async (status: NonNullable<BuildRun['status']>): Promise<void> => {
    await deps.store.updateStatus(BuildRunKind, ref, () => ({ startTime, ...status })).catch((error: Error) => {
      deps.log(`build ${metadata.name}: ${error.message}`);
    });
  };
  const condition = (status: 'True' | 'False' | 'Unknown', reason: string, message: string) => ({
    conditions: [{ type: 'Succeeded', status, reason, message, lastTransitionTime: new Date().toISOString() }],
  });

  await write(condition('Unknown', 'Running', 'The build is running.'));
  const folder = await deps.images.workspace();
  try {
    const { digest, size } = await buildImage(deps, spec.build.spec.source.git, folder);
    await write({
      ...condition('True', 'Succeeded', 'The image was built.'),
      output: { digest, size },
      completionTime: new Date().toISOString(),
    });
    deps.log(`build ${metadata.name}: ${digest}`);
  } catch (error) {
    const message = (error as Error).message;
    await deps.images.discard(folder);
    const reason = error instanceof BuildFailure ? 'BuildFailed' : 'SourceFailed';
    await write({ ...condition('False', reason, message), failureDetails: { reason, message }, completionTime: new Date().toISOString() });
    deps.log(`build ${metadata.name} failed: ${message}`);
  }
}

async function buildImage(deps: BuilderDeps, source: { url: string; revision: string }, folder: string) {
  if (!/^[0-9a-f]{40}$/.test(source.revision)) throw new BuildFailure(`"${source.revision}" is not a commit.`);
  const copy = await mirror(deps.sourcesDir, source.url);
  const authorization = await deps.credentialsFor(source.url);
  await git(['--git-dir', copy, 'fetch', '--quiet', '--depth', '1', source.url, source.revision], authorization);
  await extractCommit(copy, source.revision, folder);
  const plan = await planApp(folder);
  if (plan.install) await step(deps, { folder, network: true, what: 'Installing the packages', command: 'npm ci --ignore-scripts --omit=dev --no-audit --no-fund' });
  if (plan.build) await step(deps, { folder, network: false, what: 'The build script', command: 'npm run build' });
  return await deps.images.keep(folder, { start: plan.start });
}

type BuildStep = { folder: string; network: boolean; what: string; command: string };

async function step({ sandbox }: BuilderDeps, { folder, network, what, command }: BuildStep): Promise<void> {
  const result = await sandbox.run(
    {
      argv: ['/bin/sh', '-c', command],
      workspace: { path: folder, writable: true },
      network,
      environment: { HOME: '/tmp', npm_config_cache: '/tmp/npm', NO_UPDATE_NOTIFIER: '1' },
    },
    { timeoutMs: 10 * minutes, outputBytesMax: 8_000 },
  );
  if (result.exitCode !== 0)
    throw new BuildFailure(`${what} failed (${result.timedOut ? 'timed out' : `status ${result.exitCode}`}):\n${result.output.trim().split('\n').slice(-15).join('\n')}`);
}
