import { hostname } from 'node:os';
import type { ContainerState, Pod } from '../../rules/environments/cluster-kinds.ts';
import type { Desired } from './generation.ts';
import type { Ended, Instance } from './instance.ts';
import type { ZoneObjects } from './zone-objects.ts';

const container = 'app';
/** What a kubelet keeps of the last words. */
const messageCharactersMax = 2_048;
const now = (): string => new Date().toISOString();

/**
 * One of an app's places in a zone, told as a kubelet does; its processes follow each other:
 *
 *   waiting ── starting ──▶ running, not ready ── ready ──▶ running ── ended ──▶ waiting, and so on
 */
export class AppPod {
  readonly name: string;
  /** What runs in it and listens. */
  instance: Instance | undefined;
  #desired: Desired;
  #objects: ZoneObjects;
  #starts = 0;
  #startedAt = '';
  #createdAt = now();
  #isReady = false;
  #readyChangedAt = this.#createdAt;
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #lastState: ContainerState | undefined;

  constructor(objects: ZoneObjects, desired: Desired, generation: string) {
    this.#objects = objects;
    this.#desired = desired;
    this.name = `${objects.zone}-${generation}-${crypto.randomUUID().slice(0, 5)}`;
    const { image, resources, release } = desired;
    objects.createPod({
      metadata: {
        namespace: objects.zone,
        name: this.name,
        labels: {
          'app.kubernetes.io/instance': objects.zone,
          'app.kubernetes.io/version': release.version,
          'pod-template-hash': generation,
        },
      },
      spec: {
        nodeName: hostname(),
        containers: [{ name: container, image: `${image.repository}@${image.digest}`, resources }],
      },
    });
    this.#write();
  }

  /** How often its process was started anew. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Answers with what the log calls the process that is about to start. */
  starting(): string {
    this.#starts += 1;
    this.#startedAt = now();
    this.#become({ running: { startedAt: this.#startedAt } });
    return `${this.name}/${this.restarts}`;
  }

  ready(instance: Instance): void {
    this.instance = instance;
    this.#become(this.#state);
    this.#tell('Normal', 'Started', `Started container ${container}`);
  }

  /** By itself, or because it did not listen. */
  ended({ exitCode, words }: Ended): void {
    this.instance = undefined;
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      ...(words ? { message: words.slice(-messageCharactersMax) } : {}),
      startedAt: this.#startedAt,
      finishedAt: now(),
    };
    this.#lastState = { terminated };
    const message = `back-off restarting failed container=${container} pod=${this.name}`;
    this.#become({ waiting: { reason: 'CrashLoopBackOff', message } });
    this.#tell('Warning', 'BackOff', `Back-off restarting failed container ${container} in pod ${this.name}`);
  }

  /** Its process was ended because the version does not come up as a whole. */
  givenUp(): void {
    this.instance = undefined;
    this.#become({ waiting: { reason: 'ContainerCreating' } });
  }

  cannotPull(why: string): void {
    this.#become({ waiting: { reason: 'ImagePullBackOff', message: why } });
    this.#tell('Warning', 'Failed', `Failed to pull image: ${why}`);
  }

  async remove(): Promise<void> {
    this.instance = undefined;
    this.#tell('Normal', 'Killing', `Stopping container ${container}`);
    await this.#objects.deletePod(this.name);
  }

  #become(state: ContainerState): void {
    this.#state = state;
    const isReady = this.instance !== undefined;
    if (isReady !== this.#isReady) this.#readyChangedAt = now();
    this.#isReady = isReady;
    this.#write();
  }

  #write(): void {
    this.#objects.writePod(this.name, () => this.#status());
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#objects.tell({ pod: this.name, type, reason, message });
  }

  #status(): Pod['status'] {
    const { repository, digest } = this.#desired.image;
    const ready = this.#isReady;
    return {
      phase: this.#starts > 0 ? 'Running' : 'Pending',
      startTime: this.#createdAt,
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: this.#createdAt },
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          ...(ready ? {} : { reason: 'ContainersNotReady', message: `containers with unready status: [${container}]` }),
          lastTransitionTime: this.#readyChangedAt,
        },
      ],
      containerStatuses: [
        {
          name: container,
          image: `${repository}@${digest}`,
          ready,
          restartCount: this.restarts,
          state: this.#state,
          ...(this.#lastState ? { lastState: this.#lastState } : {}),
        },
      ],
    };
  }
}
