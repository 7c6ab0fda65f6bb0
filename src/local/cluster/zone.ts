import { setTimeout as sleep } from 'node:timers/promises';
import type { AppPod } from './app-pod.ts';
import { type Desired, Generation, type GenerationDeps, pauseAfter } from './generation.ts';
import type { Instance } from './instance.ts';

export type ZoneHealth = {
  status: 'Healthy' | 'Progressing' | 'Degraded' | 'Missing';
  message?: string;
  images: string[];
};

export type ZoneDeps = GenerationDeps & {
  /** The health may be another one now. */
  onChange: () => void;
};

/** How long requests that are under way may take when their version is replaced. */
const drainMs = 10_000;

/**
 * What runs in one zone. A new version is started beside the one that serves, and takes over once it listens:
 *
 *   next: starting ⇄ failing, tried again        current: serving
 *             └── listens ──────────────────────────▶ replaced: drained, then ended
 */
export class Zone {
  #deps: ZoneDeps;
  #current: Generation | undefined;
  #next: { desired: Desired; failure?: string } | undefined;
  #attempt = new AbortController();
  #work = new Set<Promise<void>>();
  #turn = 0;

  constructor(deps: ZoneDeps) {
    this.#deps = deps;
  }

  get hosts(): readonly string[] {
    return (this.#current?.desired ?? this.#next?.desired)?.hosts ?? [];
  }

  get access(): Desired['access'] {
    return (this.#current?.desired ?? this.#next?.desired)?.access ?? 'none';
  }

  get pods(): readonly AppPod[] {
    return this.#deps.pods.all;
  }

  /** The next process in turn, or nothing where none serves. */
  next(): Instance | undefined {
    const instances = this.#current?.instances ?? [];
    this.#turn += 1;
    return instances[this.#turn % Math.max(1, instances.length)];
  }

  health(): ZoneHealth {
    const { repository, digest } = this.#current?.desired.image ?? {};
    const images = digest === undefined ? [] : [`${repository}@${digest}`];
    if (this.#next?.failure !== undefined) return { status: 'Degraded', message: this.#next.failure, images };
    if (this.#next) return { status: 'Progressing', message: 'The app is starting.', images };
    if (!this.#current) return { status: 'Missing', images };
    return { status: 'Healthy', ...this.#current.trouble, images };
  }

  /** Brings the zone to what is desired, in the background; what was being brought before is given up. */
  apply(desired: Desired): void {
    this.#attempt.abort();
    this.#attempt = new AbortController();
    this.#next = { desired };
    this.#deps.onChange();
    this.#track(this.#bring(desired, this.#attempt.signal));
  }

  async stop(drainForMs = drainMs): Promise<void> {
    this.#attempt.abort();
    const current = this.#current;
    this.#current = undefined;
    this.#next = undefined;
    await Promise.all([...this.#work, current?.retire(drainForMs)]);
  }

  /** Tries until the version serves, so that one that could not start on a busy machine does later. */
  async #bring(desired: Desired, signal: AbortSignal): Promise<void> {
    const pods = this.#deps.pods.create(desired);
    for (let failures = 1; !signal.aborted; failures += 1) {
      const generation = new Generation(this.#deps, { desired, pods }, this.#deps.onChange);
      try {
        if (desired.strategy === 'Recreate') await this.#endCurrent();
        await generation.start(signal);
      } catch (error) {
        if (signal.aborted) break;
        this.#next = { desired, failure: (error as Error).message };
        this.#deps.onChange();
        await sleep(pauseAfter(failures), undefined, { signal }).catch(() => undefined);
        continue;
      }
      if (signal.aborted) return await generation.retire(0);
      const before = this.#current;
      this.#current = generation;
      this.#next = undefined;
      this.#deps.onChange();
      if (before) this.#track(before.retire(drainMs));
      return;
    }
    await this.#deps.pods.remove(pods);
  }

  /** Two versions must not write to the same volume. */
  async #endCurrent(): Promise<void> {
    const before = this.#current;
    this.#current = undefined;
    await before?.retire(drainMs);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }
}
