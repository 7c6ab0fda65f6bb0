import { setTimeout as sleep } from 'node:timers/promises';
import type { BuildRun } from '../../rules/environments/delivery-kinds.ts';
import type { Store } from '../../store/store.ts';
import { BuildFailure } from './app-start.ts';
import { type BuildDeps, buildImage } from './build-image.ts';
import { follow } from './follow.ts';
import { BuildRunKind } from './kinds.ts';

export type BuilderDeps = BuildDeps & { store: Store; log: (line: string) => void };

type Status = NonNullable<BuildRun['status']>;
type Outcome = { buildRun: BuildRun; status: Status };

/** Builds what BuildRuns ask for, one at a time; what was unfinished when a process died is built again. */
export async function runBuilder(deps: BuilderDeps, signal: AbortSignal): Promise<void> {
  let last: Promise<void> = Promise.resolve();
  const queued = new Map<string, AbortController>();
  await follow(deps.store, BuildRunKind, {
    signal,
    see(buildRun) {
      const { uid, name } = buildRun.metadata;
      const known = queued.get(uid);
      const cancelling = known ?? new AbortController();
      if (buildRun.spec.state === 'BuildRunCanceled') cancelling.abort();
      if (isSettled(buildRun) || known) return;
      queued.set(uid, cancelling);
      last = last
        .then(async () => (signal.aborted ? undefined : await build(deps, buildRun, [signal, cancelling.signal])))
        .catch((error: Error) => deps.log(`build ${name}: ${error.message}`))
        .finally(() => queued.delete(uid));
    },
    gone: ({ metadata }) => queued.get(metadata.uid)?.abort(),
  });
  await last;
}

const isSettled = ({ status }: BuildRun): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Succeeded' && value !== 'Unknown') ?? false;

async function build(
  deps: BuilderDeps,
  buildRun: BuildRun,
  [signal, cancelled]: [signal: AbortSignal, cancelled: AbortSignal],
): Promise<void> {
  const startTime = now();
  const running = condition('Unknown', 'Running', 'The build is running.');
  if (!(await record(deps, { buildRun, status: { startTime, ...running } }, signal))) return;
  const built = await outcomeOf(deps, buildRun, AbortSignal.any([signal, cancelled]));
  // Stopped, not failed: the next process builds it.
  if (signal.aborted) return;
  const outcome = cancelled.aborted ? condition('False', 'BuildRunCanceled', 'The build was cancelled.') : built;
  await record(deps, { buildRun, status: { startTime, completionTime: now(), ...outcome } }, signal);
}

async function outcomeOf(deps: BuilderDeps, { metadata, spec }: BuildRun, signal: AbortSignal): Promise<Status> {
  try {
    const output = await buildImage(deps, spec.build.spec.source.git, signal);
    deps.log(`build ${metadata.name}: ${output.digest}`);
    return { ...condition('True', 'Succeeded', 'The image was built.'), output };
  } catch (error) {
    const { message } = error as Error;
    if (!signal.aborted) deps.log(`build ${metadata.name} failed: ${message}`);
    const reason = error instanceof BuildFailure ? 'BuildFailed' : 'SourceFailed';
    return { ...condition('False', 'Failed', message), failureDetails: { reason, message } };
  }
}

/** Writes the status however long the store takes to accept it; false when nobody waits for this build any more. */
async function record(deps: BuilderDeps, { buildRun, status }: Outcome, signal: AbortSignal): Promise<boolean> {
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

const condition = (
  status: 'True' | 'False' | 'Unknown',
  reason: string,
  message: string,
): Pick<Status, 'conditions'> => ({
  conditions: [{ type: 'Succeeded', status, reason, message, lastTransitionTime: now() }],
});

const now = (): string => new Date().toISOString();
