import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { ZoneAccess } from '../../rules/environments/settings.ts';
import type { LogFile } from './app-log.ts';
import type { AppPod } from './app-pod.ts';
import type { Image, ImageStore } from './image-store.ts';
import { type Instance, StartFailure, startInstance } from './instance.ts';
import type { ZonePods } from './zone-pods.ts';

/** What should run in a zone. */
export type Desired = {
  image: { repository: string; digest: string };
  replicas: number;
  hosts: string[];
  access: ZoneAccess;
  volumes: { name: string; mountPath: string; size: string }[];
  resources: { requests?: { cpu?: string; memory?: string }; limits?: { memory?: string } };
  memoryBytes?: number;
  strategy: 'RollingUpdate' | 'Recreate';
  release: { name: string; version: string; commit: string };
};

export type GenerationDeps = {
  sandbox: Sandbox;
  images: ImageStore;
  logFile: LogFile;
  pods: ZonePods;
  /** The host's folder of one of the zone's volumes, which outlives what runs there. */
  volumeFolder: (name: string) => string;
};

const firstPauseMs = 200;
const longestPauseMs = 10_000;
/** An app that ran this long is well: its next death is the first again. */
const wellAfterMs = 10_000;
const deathsOfACrashLoop = 3;

/** How long to wait before the next try, after so many that failed. */
export const pauseAfter = (failures: number): number => Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1));

/** The processes of one version in a zone: as many as are desired, each started again when it dies. */
export class Generation {
  readonly desired: Desired;
  #deps: GenerationDeps;
  #onChange: () => void;
  #pods: readonly AppPod[];
  #instances: Instance[] = [];
  #deaths = 0;
  #retired = new AbortController();
  #starting = new Set<Promise<unknown>>();

  /** `pods` are as many as are desired, and those of the tries before where there were some. */
  constructor(
    deps: GenerationDeps,
    { desired, pods }: { desired: Desired; pods: readonly AppPod[] },
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

  /** What keeps it from being healthy, if anything. */
  get trouble(): { status: 'Degraded' | 'Progressing'; message: string } | undefined {
    if (this.#deaths >= deathsOfACrashLoop)
      return { status: 'Degraded', message: `CrashLoopBackOff: the app ended ${this.#deaths} times in a row.` };
    if (this.#instances.length < this.desired.replicas)
      return { status: 'Progressing', message: 'The app ended and is started again.' };
    return undefined;
  }

  /** All of its processes or, when one of them does not start, none. */
  async start(signal: AbortSignal): Promise<void> {
    const failed = new AbortController();
    const starts = this.#pods.map(async (pod) => {
      try {
        return { pod, instance: await this.#startOne(pod, AbortSignal.any([signal, failed.signal])) };
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    const started = (await Promise.allSettled(starts)).flatMap((start) =>
      start.status === 'fulfilled' ? [start.value] : [],
    );
    if (failed.signal.aborted || signal.aborted) {
      await Promise.all(started.map(async ({ pod, instance }) => await instance.retire(0).then(() => pod.givenUp())));
      throw (signal.aborted ? signal.reason : failed.signal.reason) as Error;
    }
    for (const { pod, instance } of started) void this.#keepAlive(pod, instance);
  }

  async retire(drainMs: number): Promise<void> {
    this.#retired.abort();
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#instances.map(async (instance) => await instance.retire(drainMs)));
    await this.#deps.pods.remove(this.#pods);
  }

  async #startOne(pod: AppPod, signal: AbortSignal): Promise<Instance> {
    const { image: wanted, release, volumes, memoryBytes } = this.desired;
    const image: Image | undefined = await this.#deps.images.find(wanted.digest);
    if (!image) {
      const why = `there is no image ${wanted.repository}@${wanted.digest}.`;
      pod.cannotPull(why);
      throw new Error(`ImagePullBackOff: ${why}`);
    }
    const starting = startInstance(
      {
        ...this.#deps,
        image,
        volumes: volumes.map(({ name, mountPath }) => ({ host: this.#deps.volumeFolder(name), inside: mountPath })),
        ...(memoryBytes === undefined ? {} : { memoryBytes }),
        name: pod.starting(),
        environment: { RELEASE_NAME: release.name, RELEASE_VERSION: release.version, RELEASE_COMMIT: release.commit },
      },
      signal,
    );
    try {
      const instance = await starting;
      pod.ready(instance);
      return instance;
    } catch (error) {
      if (error instanceof StartFailure) pod.ended(error.ended);
      else pod.givenUp();
      throw error;
    }
  }

  async #keepAlive(pod: AppPod, first: Instance): Promise<void> {
    for (let instance: Instance | undefined = first; instance; instance = await this.#startAgain(pod)) {
      this.#instances.push(instance);
      this.#onChange();
      await this.#untilEnd(instance);
      this.#instances.splice(this.#instances.indexOf(instance), 1);
      if (this.#retired.signal.aborted) return;
      this.#deaths += 1;
      this.#onChange();
      pod.ended(await instance.whatEnded());
    }
  }

  async #untilEnd(instance: Instance): Promise<void> {
    const over = new AbortController();
    void sleep(wellAfterMs, undefined, { signal: over.signal, ref: false }).then(
      () => {
        this.#deaths = 0;
        this.#onChange();
      },
      () => undefined,
    );
    await instance.ended;
    over.abort();
  }

  /** Nothing when the generation was retired meanwhile. */
  async #startAgain(pod: AppPod): Promise<Instance | undefined> {
    const { signal } = this.#retired;
    while (!signal.aborted) {
      await sleep(pauseAfter(this.#deaths), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const start = this.#startOne(pod, signal);
      this.#starting.add(start);
      try {
        const instance = await start;
        if (!signal.aborted) return instance;
        await instance.retire(0);
      } catch {
        this.#deaths += 1;
        this.#onChange();
      } finally {
        this.#starting.delete(start);
      }
    }
    return undefined;
  }
}
