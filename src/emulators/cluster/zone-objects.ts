import { isDeepStrictEqual } from 'node:util';
import type { CoreV1Event, PersistentVolumeClaim, Pod } from '../../kinds/kubernetes.ts';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import type { NewObject, Store } from '../../store/store.ts';
import { CoreV1EventKind, PersistentVolumeClaimKind, PodKind } from '../../kinds/kubernetes.ts';
import { PodMonitorKind } from '../../kinds/prometheus-operator.ts';
import { toPodMonitorSpec } from './pod-monitor.ts';

export type PodEvent = { pod: string; type: 'Normal' | 'Warning'; reason: string; message: string };

/** A cluster deletes events after an hour; the emulator keeps the newest ones. */
const eventsMax = 100;

/** Writes the objects of one zone's namespace, one after the other. */
export class ZoneObjects {
  readonly zone: string;
  #store: Store;
  #log: (line: string) => void;
  #pending: Promise<void> = Promise.resolve();
  /** Maps the content of an event to its name, newest last. */
  #events: Promise<Map<string, string>> | undefined;

  constructor(store: Store, zone: string, log: (line: string) => void) {
    this.#store = store;
    this.zone = zone;
    this.#log = log;
  }

  createPod(pod: NewObject<Pod>): void {
    void this.#queue(async () => void (await this.#store.create(PodKind, pod)));
  }

  /** Computes the status at write time, so a pod that changes quickly skips outdated states. */
  updatePodStatus(name: string, status: () => Pod['status']): void {
    void this.#queue(
      async () => void (await this.#store.updateStatus(PodKind, { namespace: this.zone, name }, () => status())),
    );
  }

  async deletePod(name: string): Promise<void> {
    await this.#queue(async () => await this.#store.delete(PodKind, { namespace: this.zone, name }));
  }

  emitEvent(event: PodEvent): void {
    void this.#queue(async () => await this.#writeEvent(event));
  }

  /** Creates or updates the claims of these volumes. Other claims stay, and so does their data. */
  ensureVolumeClaims(volumes: { name: string; size: string }[]): void {
    for (const volume of volumes) void this.#queue(async () => await this.#ensureVolumeClaim(volume));
  }

  /** Creates the PodMonitor of the zone chart. It selects the pods of every version. */
  ensurePodMonitor(name: string): void {
    void this.#queue(async () => {
      const ref = { namespace: this.zone, name };
      const spec = toPodMonitorSpec(ref);
      const found = await this.#store.find(PodMonitorKind, ref);
      if (!found) await this.#store.create(PodMonitorKind, { metadata: ref, spec });
      else if (!isDeepStrictEqual(found.spec, spec)) await this.#store.replace(PodMonitorKind, { ...found, spec });
    });
  }

  async #ensureVolumeClaim({ name, size }: { name: string; size: string }): Promise<void> {
    const ref = { namespace: this.zone, name };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } };
    const found = await this.#store.find(PersistentVolumeClaimKind, ref);
    if (found) await this.#store.replace(PersistentVolumeClaimKind, { ...found, spec });
    else await this.#store.create(PersistentVolumeClaimKind, { metadata: ref, spec });
    const status: PersistentVolumeClaim['status'] = { phase: 'Bound', capacity: { storage: size } };
    await this.#store.updateStatus(PersistentVolumeClaimKind, ref, () => status);
  }

  async #writeEvent({ pod, type, reason, message }: PodEvent): Promise<void> {
    const events = await (this.#events ??= this.#loadEvents());
    const lastTimestamp = new Date().toISOString();
    const key = toEventKey({ pod, reason, message });
    const known = events.get(key);
    events.delete(key);
    const name = known ?? `${pod}.${crypto.randomUUID().slice(0, 13).replace('-', '')}`;
    events.set(key, name);
    const found = await this.#store.find(CoreV1EventKind, { namespace: this.zone, name });
    if (found)
      return void (await this.#store.replace(CoreV1EventKind, {
        ...found,
        lastTimestamp,
        count: (found.count ?? 1) + 1,
      }));
    await this.#store.create(CoreV1EventKind, {
      metadata: { namespace: this.zone, name },
      type,
      reason,
      message,
      firstTimestamp: lastTimestamp,
      lastTimestamp,
      count: 1,
      involvedObject: { kind: 'Pod', namespace: this.zone, name: pod },
    });
    for (const [oldest, oldestName] of [...events].slice(0, -eventsMax)) {
      events.delete(oldest);
      await this.#store.delete(CoreV1EventKind, { namespace: this.zone, name: oldestName });
    }
  }

  async #loadEvents(): Promise<Map<string, string>> {
    const { items } = await this.#store.list(CoreV1EventKind, { namespace: this.zone });
    const inOrder = items.toSorted((one, other) => toTimestampMs(one) - toTimestampMs(other));
    return new Map(
      inOrder.map(({ metadata, involvedObject, reason = '', message = '' }) => [
        toEventKey({ pod: involvedObject.name ?? '', reason, message }),
        metadata.name,
      ]),
    );
  }

  /** Write errors are logged only, because they must not stop the app. */
  #queue(work: () => Promise<void>): Promise<void> {
    this.#pending = this.#pending.then(work).catch((error: Error) => this.#log(`zone ${this.zone}: ${error.message}`));
    return this.#pending;
  }
}

const toEventKey = ({ pod, reason, message }: Omit<PodEvent, 'type'>): string => JSON.stringify([pod, reason, message]);
const toTimestampMs = ({ lastTimestamp }: CoreV1Event): number => Date.parse(lastTimestamp ?? '') || 0;

export async function deleteNamespaceObjects(store: Store, namespace: string): Promise<void> {
  await deleteAll(store, PodKind, namespace);
  await deleteAll(store, CoreV1EventKind, namespace);
  await deleteAll(store, PersistentVolumeClaimKind, namespace);
  await deleteAll(store, PodMonitorKind, namespace);
}

/** Deletes the pods of an earlier process that crashed, because none of them runs. */
export async function deleteStalePods(store: Store): Promise<void> {
  await deleteAll(store, PodKind);
}

async function deleteAll<T extends StoredObject>(store: Store, kind: Kind<T>, namespace?: string): Promise<void> {
  const { items } = await store.list(kind, namespace === undefined ? {} : { namespace });
  for (const { metadata } of items) await store.delete(kind, metadata);
}
