import { AppPod } from './app-pod.ts';
import type { Desired } from './generation.ts';
import type { ZoneObjects } from './zone-objects.ts';

/** The pods that there are in a zone, from before their first start until their last process has ended. */
export class ZonePods {
  #objects: ZoneObjects;
  #all = new Set<AppPod>();

  constructor(objects: ZoneObjects) {
    this.#objects = objects;
  }

  get all(): readonly AppPod[] {
    return [...this.#all];
  }

  /** As many as are desired, with the volumes that they ask for. */
  create(desired: Desired): AppPod[] {
    this.#objects.ensureClaims(desired.volumes);
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
