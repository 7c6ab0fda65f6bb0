import { setTimeout as sleep } from 'node:timers/promises';
import { SecretKind, toBasicAuthorization } from '../../kinds/kubernetes.ts';
import type { BuildRun } from '../../kinds/shipwright.ts';
import type { Store } from '../../store/store.ts';
import { BuildFailure } from './plan-build.ts';
import { type BuildDeps, buildImage } from './build-image.ts';
import { watchObjects } from '../watch-objects.ts';
import { BuildRunKind, isBuildFinished } from '../../kinds/shipwright.ts';

export type BuilderDeps = BuildDeps & {
  store: Store;
  log: (line: string) => void;
  /** Called after each build and after the deletion of builds, never while a build is running. */
  prune: () => Promise<void>;
};

type BuildStatus = NonNullable<BuildRun['status']>;
type StatusUpdate = { buildRun: BuildRun; status: BuildStatus };

/** Runs BuildRuns one at a time. Builds that a crash interrupted start over. */
export async function runBuilder(deps: BuilderDeps, signal: AbortSignal): Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const queued = new Map<string, AbortController>();
  let isPruneQueued = false;
  const enqueuePrune = (): void => {
    if (isPruneQueued || signal.aborted) return;
    isPruneQueued = true;
    last = last
      .then(async () => {
        isPruneQueued = false;
        if (!signal.aborted) await deps.prune();
      })
      .catch((error: Error) => deps.log(`pruning: ${error.message}`));
  };
  await watchObjects(deps.store, BuildRunKind, {
    signal,
    onUpdate(buildRun) {
      const { uid, name } = buildRun.metadata;
      const known = queued.get(uid);
      const cancelling = known ?? new AbortController();
      if (buildRun.spec.state === 'BuildRunCanceled') cancelling.abort();
      if (isBuildFinished(buildRun) || known) return;
      queued.set(uid, cancelling);
      last = last
        .then(async () => (signal.aborted ? undefined : await runBuild(deps, buildRun, [signal, cancelling.signal])))
        .catch((error: Error) => deps.log(`build ${name}: ${error.message}`))
        .finally(() => queued.delete(uid));
      enqueuePrune();
    },
    onDelete({ metadata }) {
      queued.get(metadata.uid)?.abort();
      enqueuePrune();
    },
  });
  await last;
}

async function runBuild(
  deps: BuilderDeps,
  buildRun: BuildRun,
  [signal, cancelled]: [signal: AbortSignal, cancelled: AbortSignal],
): Promise<void> {
  const startTime = now();
  const running = succeededCondition('Unknown', 'Running', 'The build is running.');
  if (!(await recordStatus(deps, { buildRun, status: { startTime, ...running } }, signal))) return;
  const built = await attemptBuild(deps, buildRun, AbortSignal.any([signal, cancelled]));
  // The build was interrupted, not failed; the next process runs it again.
  if (signal.aborted) return;
  const outcome = cancelled.aborted
    ? succeededCondition('False', 'BuildRunCanceled', 'The build was cancelled.')
    : built;
  await recordStatus(deps, { buildRun, status: { startTime, completionTime: now(), ...outcome } }, signal);
}

async function attemptBuild(
  deps: BuilderDeps,
  { metadata, spec }: BuildRun,
  signal: AbortSignal,
): Promise<BuildStatus> {
  try {
    const { git: source } = spec.build.spec.source;
    const authorization = await readCloneSecret(deps.store, { ...metadata, name: source.cloneSecret });
    const output = await buildImage(deps, { ...metadata, source, authorization }, signal);
    deps.log(`build ${metadata.name}: ${output.digest}`);
    return { ...succeededCondition('True', 'Succeeded', 'The image was built.'), output };
  } catch (error) {
    const { message } = error as Error;
    if (!signal.aborted) deps.log(`build ${metadata.name} failed: ${message}`);
    const reason = error instanceof BuildFailure ? 'BuildFailed' : 'SourceFailed';
    return { ...succeededCondition('False', 'Failed', message), failureDetails: { reason, message } };
  }
}

async function readCloneSecret(
  store: Store,
  { namespace, name }: { namespace: string; name: string | undefined },
): Promise<string | undefined> {
  return name === undefined ? undefined : toBasicAuthorization(await store.get(SecretKind, { namespace, name }));
}

/** Retries until the store accepts the status. Returns false when the BuildRun is deleted or the process stops. */
async function recordStatus(
  deps: BuilderDeps,
  { buildRun, status }: StatusUpdate,
  signal: AbortSignal,
): Promise<boolean> {
  const { metadata } = buildRun;
  const ref = { namespace: metadata.namespace, name: metadata.name };
  while (!signal.aborted) {
    try {
      if ((await deps.store.find(BuildRunKind, ref))?.metadata.uid !== metadata.uid) return false;
      await deps.store.updateStatus(BuildRunKind, ref, () => status);
      return true;
    } catch (error) {
      deps.log(`build ${metadata.name}: ${(error as Error).message}`);
      await sleep(1_000, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}

const succeededCondition = (
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Pick<BuildStatus, 'conditions'> => ({
  conditions: [{ type: 'Succeeded', status, reason, message, lastTransitionTime: now() }],
});

const now = (): string => new Date().toISOString();
