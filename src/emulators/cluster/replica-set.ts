import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { AppPod } from './app-pod.ts';
import { computeBackoffMs } from './backoff.ts';
import type { DesiredState } from './desired-state.ts';
import type { Image, ImageStore } from './image-store.ts';
import { type Instance, StartFailure, startInstance } from './instance.ts';
import type { LogFile } from './log-file.ts';
import type { ZonePods } from './zone-pods.ts';

export type ReplicaSetDeps = {
  sandbox: Sandbox;
  images: ImageStore;
  logFile: LogFile;
  pods: ZonePods;
  /** Returns the host folder of a volume, which outlives the processes that mount it. */
  volumeFolder: (name: string) => string;
};

/** After running this long, an app counts as healthy and its crash count restarts. */
const backoffResetMs = 10_000;
const crashLoopThreshold = 3;

/** Runs the desired number of processes of one version, and restarts each one that exits. */
export class ReplicaSet {
  readonly desired: DesiredState;
  #deps: ReplicaSetDeps;
  #onChange: () => void;
  #pods: readonly AppPod[];
  #instances: Instance[] = [];
  #crashes = 0;
  #stopping = new AbortController();
  #starting = new Set<Promise<unknown>>();

  /** `pods` holds one pod per replica; retries of a rollout reuse the pods of the first attempt. */
  constructor(
    deps: ReplicaSetDeps,
    { desired, pods }: { desired: DesiredState; pods: readonly AppPod[] },
    onChange: () => void,
  ) {
    this.#deps = deps;
    this.desired = desired;
    this.#pods = pods;
    this.#onChange = onChange;
  }

  get instances(): readonly Instance[] {
    return this.#instances;
  }

  /** Returns undefined when all replicas are healthy. */
  get unhealthyStatus(): { status: 'Degraded' | 'Progressing'; message: string } | undefined {
    if (this.#crashes >= crashLoopThreshold)
      return { status: 'Degraded', message: `CrashLoopBackOff: the app exited ${this.#crashes} times in a row.` };
    if (this.#instances.length < this.desired.replicas)
      return { status: 'Progressing', message: 'The app exited and is restarting.' };
    return undefined;
  }

  /** Starts all processes. If one of them fails, the others are stopped. */
  async start(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const starts = this.#pods.map(async (pod) => {
      try {
        return { pod, instance: await this.#startInstance(pod, AbortSignal.any([signal, failed.signal])) };
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    const started = (await Promise.allSettled(starts)).flatMap((start) =>
      start.status === 'fulfilled' ? [start.value] : [],
    );
    if (failed.signal.aborted || signal.aborted) {
      await Promise.all(
        started.map(async ({ pod, instance }) => await instance.stop(0).then(() => pod.markStartCancelled())),
      );
      throw (signal.aborted ? signal.reason : failed.signal.reason) as Error;
    }
    for (const { pod, instance } of started) void this.#supervise(pod, instance);
  }

  async stop(drainMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#instances.map(async (instance) => await instance.stop(drainMs)));
    await this.#deps.pods.remove(this.#pods);
  }

  async #startInstance(pod: AppPod, signal: AbortSignal): Promise<Instance> {
    const { image: wanted, release, volumes, memoryLimitBytes } = this.desired;
    const image: Image | undefined = await this.#deps.images.find(wanted.digest);
    if (!image) {
      const cause = `image ${wanted.repository}@${wanted.digest} not found.`;
      pod.markImagePullFailed(cause);
      throw new Error(`ImagePullBackOff: ${cause}`);
    }
    const starting = startInstance(
      {
        ...this.#deps,
        image,
        volumes: volumes.map(({ name, mountPath, bytes }) => ({
          name,
          host: this.#deps.volumeFolder(name),
          inside: mountPath,
          bytes,
        })),
        ...(memoryLimitBytes === undefined ? {} : { memoryLimitBytes }),
        name: pod.markStarting(),
        environment: { RELEASE_NAME: release.name, RELEASE_VERSION: release.version, RELEASE_COMMIT: release.commit },
      },
      signal,
    );
    try {
      const instance = await starting;
      pod.markReady(instance);
      return instance;
    } catch (error) {
      if (error instanceof StartFailure) pod.markTerminated(error.exit);
      else pod.markStartCancelled();
      throw error;
    }
  }

  async #supervise(pod: AppPod, first: Instance): Promise<void> {
    for (let instance: Instance | undefined = first; instance; instance = await this.#restart(pod)) {
      this.#instances.push(instance);
      this.#onChange();
      await this.#waitForExit(instance);
      this.#instances.splice(this.#instances.indexOf(instance), 1);
      if (this.#stopping.signal.aborted) return;
      this.#crashes += 1;
      this.#onChange();
      pod.markTerminated(await instance.getExitInfo());
    }
  }

  async #waitForExit(instance: Instance): Promise<void> {
    const exited = new AbortController();
    void sleep(backoffResetMs, undefined, { signal: exited.signal, ref: false }).then(
      () => {
        this.#crashes = 0;
        this.#onChange();
      },
      () => undefined,
    );
    await instance.exited;
    exited.abort();
  }

  /** Returns undefined when the replica set stops first. */
  async #restart(pod: AppPod): Promise<Instance | undefined> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await sleep(computeBackoffMs(this.#crashes), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const start = this.#startInstance(pod, signal);
      this.#starting.add(start);
      try {
        const instance = await start;
        if (!signal.aborted) return instance;
        await instance.stop(0);
      } catch {
        this.#crashes += 1;
        this.#onChange();
      } finally {
        this.#starting.delete(start);
      }
    }
    return undefined;
  }
}
