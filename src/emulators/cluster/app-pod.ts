import { hostname } from 'node:os';
import type { ContainerState, Pod } from '../../kinds/kubernetes.ts';
import type { DesiredState } from './desired-state.ts';
import { appPort, type ExitInfo, type Instance } from './instance.ts';
import type { ZoneObjects } from './zone-objects.ts';

export const containerName = 'app';
/** A kubelet keeps this much of a container's last output. */
const messageCharactersMax = 2_048;
const now = (): string => new Date().toISOString();

/**
 * One pod of an app, with the status that a kubelet would write. One process runs at a time:
 *
 *   waiting ── start ──▶ running, not ready ── ready ──▶ running ── exit ──▶ waiting (restart)
 */
export class AppPod {
  readonly name: string;
  /** The process that runs in the pod, once it listens. */
  instance: Instance | undefined;
  #desired: DesiredState;
  #objects: ZoneObjects;
  #starts = 0;
  #startedAt = '';
  #createdAt = now();
  #isReady = false;
  #readyChangedAt = this.#createdAt;
  #state: ContainerState = { waiting: { reason: 'ContainerCreating' } };
  #lastState: ContainerState | undefined;

  constructor(objects: ZoneObjects, desired: DesiredState, generation: string) {
    this.#objects = objects;
    this.#desired = desired;
    this.name = `${objects.zone}-${generation}-${crypto.randomUUID().slice(0, 5)}`;
    const { name, image, resources, release } = desired;
    objects.createPod({
      metadata: {
        namespace: objects.zone,
        name: this.name,
        labels: {
          'app.kubernetes.io/name': name,
          'app.kubernetes.io/instance': objects.zone,
          'app.kubernetes.io/version': release.version,
          'pod-template-hash': generation,
        },
      },
      spec: {
        nodeName: hostname(),
        containers: [
          {
            name: containerName,
            image: `${image.repository}@${image.digest}`,
            ports: [{ name: 'http', containerPort: appPort }],
            resources,
          },
        ],
      },
    });
    this.#writeStatus();
  }

  get restartCount(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Returns the log source name of the process that is about to start. */
  markStarting(): string {
    this.#starts += 1;
    this.#startedAt = now();
    this.#setState({ running: { startedAt: this.#startedAt } });
    return `${this.name}/${this.restartCount}`;
  }

  markReady(instance: Instance): void {
    this.instance = instance;
    this.#setState(this.#state);
    this.#emitEvent('Normal', 'Started', `Started container ${containerName}`);
  }

  /** The process exited on its own, or never listened. */
  markTerminated({ exitCode, lastOutput }: ExitInfo): void {
    this.instance = undefined;
    const terminated = {
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      ...(lastOutput ? { message: lastOutput.slice(-messageCharactersMax) } : {}),
      startedAt: this.#startedAt,
      finishedAt: now(),
    };
    this.#lastState = { terminated };
    const message = `back-off restarting failed container=${containerName} pod=${this.name}`;
    this.#setState({ waiting: { reason: 'CrashLoopBackOff', message } });
    this.#emitEvent('Warning', 'BackOff', `Back-off restarting failed container ${containerName} in pod ${this.name}`);
  }

  /** The process was stopped because another pod of the version failed to start. */
  markStartCancelled(): void {
    this.instance = undefined;
    this.#setState({ waiting: { reason: 'ContainerCreating' } });
  }

  markImagePullFailed(cause: string): void {
    this.#setState({ waiting: { reason: 'ImagePullBackOff', message: cause } });
    this.#emitEvent('Warning', 'Failed', `Failed to pull image: ${cause}`);
  }

  async remove(): Promise<void> {
    this.instance = undefined;
    this.#emitEvent('Normal', 'Killing', `Stopping container ${containerName}`);
    await this.#objects.deletePod(this.name);
  }

  #setState(state: ContainerState): void {
    this.#state = state;
    const isReady = this.instance !== undefined;
    if (isReady !== this.#isReady) this.#readyChangedAt = now();
    this.#isReady = isReady;
    this.#writeStatus();
  }

  #writeStatus(): void {
    this.#objects.updatePodStatus(this.name, () => this.#buildStatus());
  }

  #emitEvent(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#objects.emitEvent({ pod: this.name, type, reason, message });
  }

  #buildStatus(): Pod['status'] {
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
          ...(ready
            ? {}
            : { reason: 'ContainersNotReady', message: `containers with unready status: [${containerName}]` }),
          lastTransitionTime: this.#readyChangedAt,
        },
      ],
      containerStatuses: [
        {
          name: containerName,
          image: `${repository}@${digest}`,
          ready,
          restartCount: this.restartCount,
          state: this.#state,
          ...(this.#lastState ? { lastState: this.#lastState } : {}),
        },
      ],
    };
  }
}
