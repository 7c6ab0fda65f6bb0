import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { ZoneAccess } from '../../rules/environments/settings.ts';
import type { LogFile } from './app-log.ts';
import type { Image, ImageStore } from './image-store.ts';
import { type Instance, startInstance } from './instance.ts';

/** What should run in a zone. */
export type Desired = {
  image: { repository: string; digest: string };
  replicas: number;
  hosts: string[];
  access: ZoneAccess;
  volumes: { name: string; mountPath: string }[];
  memoryBytes?: number;
  strategy: 'RollingUpdate' | 'Recreate';
  release: { name: string; version: string; commit: string };
};

export type GenerationDeps = {
  sandbox: Sandbox;
  images: ImageStore;
  logFile: LogFile;
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
  #instances: Instance[] = [];
  #deaths = 0;
  #retired = new AbortController();
  #starting = new Set<Promise<unknown>>();

  constructor(deps: GenerationDeps, desired: Desired, onChange: () => void) {
    this.#deps = deps;
    this.desired = desired;
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
    const starts = Array.from({ length: this.desired.replicas }, async () => {
      try {
        return await this.#startOne(AbortSignal.any([signal, failed.signal]));
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    });
    const started = (await Promise.allSettled(starts)).flatMap((start) =>
      start.status === 'fulfilled' ? [start.value] : [],
    );
    if (failed.signal.aborted || signal.aborted) {
      await Promise.all(started.map(async (instance) => await instance.retire(0)));
      throw (signal.aborted ? signal.reason : failed.signal.reason) as Error;
    }
    for (const instance of started) void this.#keepAlive(instance);
  }

  async retire(drainMs: number): Promise<void> {
    this.#retired.abort();
    await Promise.allSettled(this.#starting);
    await Promise.all(this.#instances.map(async (instance) => await instance.retire(drainMs)));
  }

  async #startOne(signal: AbortSignal): Promise<Instance> {
    const { image: wanted, release, volumes, memoryBytes } = this.desired;
    const image: Image | undefined = await this.#deps.images.find(wanted.digest);
    if (!image) throw new Error(`ImagePullBackOff: there is no image ${wanted.repository}@${wanted.digest}.`);
    return await startInstance(
      {
        ...this.#deps,
        image,
        volumes: volumes.map(({ name, mountPath }) => ({ host: this.#deps.volumeFolder(name), inside: mountPath })),
        ...(memoryBytes === undefined ? {} : { memoryBytes }),
        name: `${release.name}/${crypto.randomUUID().slice(0, 5)}`,
        environment: { RELEASE_NAME: release.name, RELEASE_VERSION: release.version, RELEASE_COMMIT: release.commit },
      },
      signal,
    );
  }

  async #keepAlive(first: Instance): Promise<void> {
    for (let instance: Instance | undefined = first; instance; instance = await this.#startAgain()) {
      this.#instances.push(instance);
      this.#onChange();
      await this.#untilEnd(instance);
      this.#instances.splice(this.#instances.indexOf(instance), 1);
      if (this.#retired.signal.aborted) return;
      this.#deaths += 1;
      this.#onChange();
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
  async #startAgain(): Promise<Instance | undefined> {
    const { signal } = this.#retired;
    while (!signal.aborted) {
      await sleep(pauseAfter(this.#deaths), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const start = this.#startOne(signal);
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
