import type { ClusterEvent, PersistentVolumeClaim, Pod } from '../../rules/environments/cluster-kinds.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { New, Store } from '../../store/store.ts';
import { ClusterEventKind, PersistentVolumeClaimKind, PodKind } from './kinds.ts';

export type Happening = { pod: string; type: 'Normal' | 'Warning'; reason: string; message: string };

/** A cluster forgets events after an hour; here the newest stay. */
const eventsMax = 100;

/** The objects of one zone's namespace, written as a cluster's own controllers do: one write after the other. */
export class ZoneObjects {
  readonly zone: string;
  #store: Store;
  #log: (line: string) => void;
  #last: Promise<void> = Promise.resolve();
  /** The names of the events by what they say, the newest last. */
  #events: Promise<Map<string, string>> | undefined;

  constructor(store: Store, zone: string, log: (line: string) => void) {
    this.#store = store;
    this.zone = zone;
    this.#log = log;
  }

  createPod(pod: New<Pod>): void {
    void this.#queue(async () => void (await this.#store.create(PodKind, pod)));
  }

  /** Writes what the status is by then: a pod that changes faster than it can be written skips what is over. */
  writePod(name: string, status: () => Pod['status']): void {
    void this.#queue(
      async () => void (await this.#store.updateStatus(PodKind, { namespace: this.zone, name }, () => status())),
    );
  }

  async deletePod(name: string): Promise<void> {
    await this.#queue(async () => await this.#store.delete(PodKind, { namespace: this.zone, name }));
  }

  tell(happening: Happening): void {
    void this.#queue(async () => await this.#tell(happening));
  }

  /** The claims of these volumes; one that is asked for no more stays, and its data with it. */
  ensureClaims(volumes: { name: string; size: string }[]): void {
    for (const volume of volumes) void this.#queue(async () => await this.#ensureClaim(volume));
  }

  async #ensureClaim({ name, size }: { name: string; size: string }): Promise<void> {
    const ref = { namespace: this.zone, name };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } };
    const found = await this.#store.find(PersistentVolumeClaimKind, ref);
    if (found) await this.#store.replace(PersistentVolumeClaimKind, { ...found, spec });
    else await this.#store.create(PersistentVolumeClaimKind, { metadata: ref, spec });
    const status: PersistentVolumeClaim['status'] = { phase: 'Bound', capacity: { storage: size } };
    await this.#store.updateStatus(PersistentVolumeClaimKind, ref, () => status);
  }

  async #tell({ pod, type, reason, message }: Happening): Promise<void> {
    const events = await (this.#events ??= this.#eventsOfBefore());
    const lastTimestamp = new Date().toISOString();
    const key = keyOf({ pod, reason, message });
    const known = events.get(key);
    events.delete(key);
    const name = known ?? `${pod}.${crypto.randomUUID().slice(0, 13).replace('-', '')}`;
    events.set(key, name);
    const found = await this.#store.find(ClusterEventKind, { namespace: this.zone, name });
    if (found)
      return void (await this.#store.replace(ClusterEventKind, {
        ...found,
        lastTimestamp,
        count: (found.count ?? 1) + 1,
      }));
    await this.#store.create(ClusterEventKind, {
      metadata: { namespace: this.zone, name },
      type,
      reason,
      message,
      firstTimestamp: lastTimestamp,
      lastTimestamp,
      count: 1,
      involvedObject: { kind: 'Pod', namespace: this.zone, name: pod },
    });
    for (const [oldest, gone] of [...events].slice(0, -eventsMax)) {
      events.delete(oldest);
      await this.#store.delete(ClusterEventKind, { namespace: this.zone, name: gone });
    }
  }

  async #eventsOfBefore(): Promise<Map<string, string>> {
    const { items } = await this.#store.list(ClusterEventKind, { namespace: this.zone });
    const inOrder = items.toSorted((one, other) => timeOf(one) - timeOf(other));
    return new Map(
      inOrder.map(({ metadata, involvedObject, reason = '', message = '' }) => [
        keyOf({ pod: involvedObject.name ?? '', reason, message }),
        metadata.name,
      ]),
    );
  }

  /** What cannot be written is no reason for an app not to run. */
  #queue(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).catch((error: Error) => this.#log(`zone ${this.zone}: ${error.message}`));
    return this.#last;
  }
}

const keyOf = ({ pod, reason, message }: Omit<Happening, 'type'>): string => JSON.stringify([pod, reason, message]);
const timeOf = ({ lastTimestamp }: ClusterEvent): number => Date.parse(lastTimestamp ?? '') || 0;

/** As when a namespace is deleted. */
export async function clearNamespace(store: Store, namespace: string): Promise<void> {
  await deleteAll(store, PodKind, namespace);
  await deleteAll(store, ClusterEventKind, namespace);
  await deleteAll(store, PersistentVolumeClaimKind, namespace);
}

/** The pods of a process that ended without a word: nothing of them runs any more. */
export async function deleteStalePods(store: Store): Promise<void> {
  await deleteAll(store, PodKind);
}

async function deleteAll<T extends StoredObject>(store: Store, kind: Kind<T>, namespace?: string): Promise<void> {
  const { items } = await store.list(kind, namespace === undefined ? {} : { namespace });
  for (const { metadata } of items) await store.delete(kind, metadata);
}
