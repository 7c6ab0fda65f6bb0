import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../integrations/sandbox/sandbox.ts';
import type { ImageStore } from './image-store.ts';
import { type Instance, startInstance } from './instance.ts';

/** What should run in a zone. */
export type Desired = {
  image: { repository: string; digest: string };
  replicas: number;
  hosts: string[];
  release: { name: string; version: string; commit: string };
};

export type ZoneHealth = { status: 'Healthy' | 'Progressing' | 'Degraded' | 'Missing'; message?: string; images: string[] };

export type ZoneDeps = {
  sandbox: Sandbox;
  images: ImageStore;
  onHealth: (health: ZoneHealth) => void;
  onOutput: (text: string) => void;
};

const restartAfterMs = { first: 200, most: 10_000 };
/** An app that ran this long is well: its next death starts the back-off anew. */
const wellAfterMs = 10_000;

/** The processes of one zone: replaced without dropping a request, started again when they die. */
export class Zone {
  #deps: ZoneDeps;
  #desired: Desired | undefined;
  #serving: Instance[] = [];
  #running: Desired | undefined;
  #deaths = 0;
  #turn = 0;
  #stopped = new AbortController();
  #work: Promise<unknown> = Promise.resolve();

  constructor(deps: ZoneDeps) {
    this.#deps = deps;
  }

  get hosts(): string[] {
    return this.#running?.hosts ?? [];
  }

  /** The next process in turn, or nothing where none serves. */
  next(): Instance | undefined {
    this.#turn += 1;
    return this.#serving[this.#turn % Math.max(1, this.#serving.length)];
  }

  /** Brings the zone to what is desired; a version that does not start leaves the one before serving. */
  async apply(desired: Desired): Promise<void> {
    this.#desired = desired;
    await this.#inTurn(async () => await this.#replace(desired));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#desired = undefined;
    await this.#inTurn(async () => {
      const serving = this.#serving.splice(0);
      await Promise.all(serving.map(async (instance) => await instance.retire()));
      this.#running = undefined;
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#work.then(work);
    this.#work = mine.catch(() => undefined);
    return await mine;
  }

  async #replace(desired: Desired): Promise<void> {
    if (desired !== this.#desired || this.#stopped.signal.aborted) return;
    this.#report('Progressing', 'The app is starting.');
    let started: Instance[];
    try {
      started = await this.#start(desired, desired.replicas);
    } catch (error) {
      return this.#report('Degraded', (error as Error).message);
    }
    const before = this.#serving;
    this.#serving = started;
    this.#running = desired;
    this.#deaths = 0;
    this.#report('Healthy');
    await Promise.all(before.map(async (instance) => await instance.retire()));
  }

  async #start(desired: Desired, count: number): Promise<Instance[]> {
    const image = await this.#deps.images.find(desired.image.digest);
    if (!image) throw new Error(`ImagePullBackOff: there is no image ${desired.image.repository}@${desired.image.digest}.`);
    const { name, version, commit } = desired.release;
    const starts = Array.from({ length: count }, async () => {
      const instance = await startInstance({
        sandbox: this.#deps.sandbox,
        image,
        environment: { RELEASE_NAME: name, RELEASE_VERSION: version, RELEASE_COMMIT: commit },
        onOutput: this.#deps.onOutput,
      });
      const startedAt = Date.now();
      void instance.ended.then(() => this.#onEnd(instance, desired, Date.now() - startedAt));
      return instance;
    });
    const results = await Promise.allSettled(starts);
    const instances = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failure = results.find((result) => result.status === 'rejected');
    if (!failure) return instances;
    await Promise.all(instances.map(async (instance) => await instance.retire()));
    throw failure.reason as Error;
  }

  /** A process that ended although it should serve is started again, later each time. */
  #onEnd(instance: Instance, desired: Desired, livedMs: number): void {
    if (!this.#serving.includes(instance)) return;
    this.#serving = this.#serving.filter((one) => one !== instance);
    this.#deaths = livedMs > wellAfterMs ? 1 : this.#deaths + 1;
    if (this.#deaths >= 3) this.#report('Degraded', `CrashLoopBackOff: the app ended ${this.#deaths} times in a row.`);
    else this.#report('Progressing', 'The app ended and is started again.');
    const waitMs = Math.min(restartAfterMs.most, restartAfterMs.first * 2 ** (this.#deaths - 1));
    void this.#restart(desired, waitMs);
  }

  async #restart(desired: Desired, waitMs: number): Promise<void> {
    await sleep(waitMs, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    await this.#inTurn(async () => {
      const isDue = desired === this.#desired && !this.#stopped.signal.aborted && this.#serving.length < desired.replicas;
      if (!isDue) return;
      try {
        this.#serving.push(...(await this.#start(desired, 1)));
        if (this.#deaths < 3) this.#report('Healthy');
        else setTimeout(() => this.#serving.length >= desired.replicas && desired === this.#running && this.#report('Healthy'), wellAfterMs).unref();
      } catch (error) {
        this.#deaths += 1;
        this.#report('Degraded', (error as Error).message);
        void this.#restart(desired, Math.min(restartAfterMs.most, waitMs * 2));
      }
    });
  }

  #report(status: ZoneHealth['status'], message?: string): void {
    const { image } = this.#running ?? {};
    const images = image && this.#serving.length > 0 ? [`${image.repository}@${image.digest}`] : [];
    this.#deps.onHealth({ status, images, ...(message ? { message } : {}) });
  }
}
