import { setTimeout as sleep } from 'node:timers/promises';
import type { AppPod } from './app-pod.ts';
import { computeBackoffMs } from './backoff.ts';
import type { DesiredState } from './desired-state.ts';
import type { Instance } from './instance.ts';
import { ReplicaSet, type ReplicaSetDeps } from './replica-set.ts';

export type ZoneHealth = {
  status: 'Healthy' | 'Progressing' | 'Degraded' | 'Missing';
  message?: string;
  images: string[];
};

export type ZoneDeps = ReplicaSetDeps & {
  /** Called whenever the health may have changed. */
  onChange: () => void;
};

/** Requests in progress may take this long when their version is replaced. */
const drainTimeoutMs = 10_000;

/**
 * The running version of a zone and its rollout. A new version starts in parallel and takes over once it listens:
 *
 *   pending: starting ⇄ failing, retried         current: serving
 *             └── listens ──────────────────────────▶ replaced: drained, then stopped
 */
export class Zone {
  #deps: ZoneDeps;
  #current: ReplicaSet | undefined;
  #pending: { desired: DesiredState; failure?: string } | undefined;
  #attempt = new AbortController();
  #tasks = new Set<Promise<void>>();
  #roundRobin = 0;

  constructor(deps: ZoneDeps) {
    this.#deps = deps;
  }

  get hosts(): readonly string[] {
    return (this.#current?.desired ?? this.#pending?.desired)?.hosts ?? [];
  }

  get access(): DesiredState['access'] {
    return (this.#current?.desired ?? this.#pending?.desired)?.access ?? 'none';
  }

  /** Describes the Deployment of the zone; undefined before the first version. */
  get deployment(): { name: string; replicas: number; available: number } | undefined {
    const desired = this.#pending?.desired ?? this.#current?.desired;
    return desired && { ...desired, available: this.#current?.instances.length ?? 0 };
  }

  get pods(): readonly AppPod[] {
    return this.#deps.pods.all;
  }

  /** Returns the next process in round-robin order, or undefined when none runs. */
  nextInstance(): Instance | undefined {
    const instances = this.#current?.instances ?? [];
    this.#roundRobin += 1;
    return instances[this.#roundRobin % Math.max(1, instances.length)];
  }

  health(): ZoneHealth {
    const { repository, digest } = this.#current?.desired.image ?? {};
    const images = digest === undefined ? [] : [`${repository}@${digest}`];
    if (this.#pending?.failure !== undefined) return { status: 'Degraded', message: this.#pending.failure, images };
    if (this.#pending) return { status: 'Progressing', message: 'The app is starting.', images };
    if (!this.#current) return { status: 'Missing', images };
    return { status: 'Healthy', ...this.#current.unhealthyStatus, images };
  }

  /** Starts a rollout in the background and cancels the previous one. */
  apply(desired: DesiredState): void {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#pending = { desired };
    this.#deps.onChange();
    this.#track(this.#rollOut(desired, this.#attempt.signal));
  }

  async stop(drainMs = drainTimeoutMs): Promise<void> {
    this.#attempt.abort();
    const current = this.#current;
    this.#current = undefined;
    this.#pending = undefined;
    await Promise.all([...this.#tasks, current?.stop(drainMs)]);
  }

  /** Retries until the version serves, because a start may fail on a busy machine. */
  async #rollOut(desired: DesiredState, signal: AbortSignal): Promise<void> {
    const pods = this.#deps.pods.create(desired);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const replicaSet = new ReplicaSet(this.#deps, { desired, pods }, this.#deps.onChange);
      try {
        if (desired.strategy === 'Recreate') await this.#stopCurrent();
        await replicaSet.start(signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#pending = { desired, failure: (error as Error).message };
        this.#deps.onChange();
        await sleep(computeBackoffMs(failures), undefined, { signal }).catch(() => undefined);
        continue;
      }
      if (signal.aborted) return await replicaSet.stop(0);
      const previous = this.#current;
      this.#current = replicaSet;
      this.#pending = undefined;
      this.#deps.onChange();
      if (previous) this.#track(previous.stop(drainTimeoutMs));
      return;
    }
    await this.#deps.pods.remove(pods);
  }

  /** Two versions must not write to the same volume. */
  async #stopCurrent(): Promise<void> {
    const previous = this.#current;
    this.#current = undefined;
    await previous?.stop(drainTimeoutMs);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }
}
