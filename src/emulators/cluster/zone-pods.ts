import { AppPod } from './app-pod.ts';
import type { DesiredState } from './desired-state.ts';
import type { ZoneObjects } from './zone-objects.ts';

/** The pods of a zone, from their creation until their last process has exited. */
export class ZonePods {
  #objects: ZoneObjects;
  #all = new Set<AppPod>();

  constructor(objects: ZoneObjects) {
    this.#objects = objects;
  }

  get all(): readonly AppPod[] {
    return [...this.#all];
  }

  /** Creates one pod per replica and the claims of their volumes. */
  create(desired: DesiredState): AppPod[] {
    this.#objects.ensureVolumeClaims(desired.volumes);
    this.#objects.ensurePodMonitor(desired.name);
    const generation = crypto.randomUUID().slice(0, 8);
    const pods = Array.from({ length: desired.replicas }, () => new AppPod(this.#objects, desired, generation));
    for (const pod of pods) this.#all.add(pod);
    return pods;
  }

  async remove(pods: readonly AppPod[]): Promise<void> {
    for (const pod of pods) this.#all.delete(pod);
    await Promise.all(pods.map(async (pod) => await pod.remove()));
  }
}
