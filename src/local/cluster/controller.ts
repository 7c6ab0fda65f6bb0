import type { Application, ApplicationStatus } from '../../rules/environments/delivery-kinds.ts';
import type { Store } from '../../store/store.ts';
import { comparisonFailed, nothingToSync, syncRunning, syncSucceeded, withHealth } from './application-status.ts';
import { follow } from './follow.ts';
import type { Desired } from './generation.ts';
import type { GitopsReader } from './gitops-repo.ts';
import { ApplicationKind, cascadeFinalizer, refreshAnnotation } from './kinds.ts';
import type { Synced, SyncedStates } from './synced-state.ts';
import { readValues, valuesPath } from './values.ts';
import type { Zone } from './zone.ts';

export type ControllerDeps = {
  store: Store;
  gitops: GitopsReader;
  states: SyncedStates;
  log: (line: string) => void;
  /** A zone in which nothing runs yet. */
  createZone: (name: string, onChange: () => void) => Zone;
  /** Leaves nothing of what a zone wrote. */
  clearZone: (name: string) => Promise<void>;
};

/** How often the repo is looked at when nobody asks for it. */
const pollMs = 120_000;
/** How soon when the last look failed: the repo may be back. */
const retryMs = 5_000;
/** At the end of the process visitors are about to be cut off anyway. */
const lastDrainMs = 500;

type Ref = { namespace: string; name: string };
type Kept = {
  ref: Ref;
  zone: Zone;
  synced?: Synced | undefined;
  /** The Application, by uid and generation, that was looked at last. */
  looked?: string;
  isDue: boolean;
  timer?: NodeJS.Timeout;
  work: Promise<void>;
  writing: Promise<void>;
};

const keyOf = ({ namespace, name }: Ref): string => `${namespace}/${name}`;

/** Brings zones to what the gitops repo says, and tells it in each Application's status as the real controller does. */
export class Controller {
  #deps: ControllerDeps;
  #kept = new Map<string, Kept>();
  #stopping = new Set<Promise<void>>();
  #signal = AbortSignal.abort();

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  zoneAt(host: string): { name: string; zone: Zone } | undefined {
    const kept = [...this.#kept.values()].find(({ zone }) => zone.hosts.includes(host));
    return kept && { name: kept.ref.name, zone: kept.zone };
  }

  zoneNamed(name: string): Zone | undefined {
    return [...this.#kept.values()].find(({ ref }) => ref.name === name)?.zone;
  }

  get zones(): { name: string; zone: Zone }[] {
    return [...this.#kept.values()].map(({ ref, zone }) => ({ name: ref.name, zone }));
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await follow(this.#deps.store, ApplicationKind, {
      signal,
      see: ({ metadata }) => this.#queue(metadata),
      gone: ({ metadata }) => this.#forget(metadata),
    });
    const kept = [...this.#kept.values()];
    for (const { timer } of kept) clearTimeout(timer);
    await Promise.all(kept.map(async ({ zone, work }) => await work.then(async () => await zone.stop(lastDrainMs))));
    await Promise.all([...this.#stopping, ...kept.map(({ writing }) => writing)]);
  }

  /** One thing at a time for each zone; the zones side by side. */
  #queue({ namespace, name }: Ref): void {
    const ref = { namespace, name };
    const kept = this.#kept.get(keyOf(ref)) ?? this.#keep(ref);
    kept.work = kept.work
      .then(async () => {
        if (this.#signal.aborted) return;
        const current = await this.#deps.store.find(ApplicationKind, ref);
        if (current) await this.#reconcile(current, kept);
      })
      .catch((error: Error) => {
        if (this.#signal.aborted) return;
        this.#deps.log(`zone ${name}: ${error.message}`);
        this.#lookAgain(kept, retryMs);
      });
  }

  #keep(ref: Ref): Kept {
    const zone = this.#deps.createZone(ref.name, () => this.#writeHealth(kept));
    const kept: Kept = { ref, zone, isDue: false, work: Promise.resolve(), writing: Promise.resolve() };
    this.#kept.set(keyOf(ref), kept);
    return kept;
  }

  /** A later Application of the same name starts anew, so it does not wait for what this one leaves. */
  #drop(kept: Kept): Promise<void> {
    clearTimeout(kept.timer);
    if (this.#kept.get(keyOf(kept.ref)) === kept) this.#kept.delete(keyOf(kept.ref));
    const stopping = kept.zone.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
    return stopping;
  }

  #forget(ref: Ref): void {
    const kept = this.#kept.get(keyOf(ref));
    if (!kept) return;
    void this.#drop(kept);
    this.#deps.states.forget(keyOf(ref)).catch((error: Error) => this.#deps.log(`zone ${ref.name}: ${error.message}`));
  }

  async #reconcile(application: Application, kept: Kept): Promise<void> {
    const { metadata } = application;
    if (metadata.deletionTimestamp) return await this.#takeDown(application, kept);
    const at = `${metadata.uid}/${metadata.generation}`;
    if (!kept.looked) await this.#restore(application, kept);
    const asked = metadata.annotations?.[refreshAnnotation] !== undefined;
    if (!asked && !kept.isDue && kept.looked === at) return;
    // Taken away before the look, not after: whoever asks again meanwhile gets another one.
    if (asked) await this.#dropAnnotation(application);
    const isSeen = await this.#sync(application, kept);
    kept.looked = at;
    this.#lookAgain(kept, isSeen ? pollMs : retryMs);
  }

  #lookAgain(kept: Kept, waitMs: number): void {
    clearTimeout(kept.timer);
    kept.isDue = false;
    kept.timer = setTimeout(() => {
      kept.isDue = true;
      if (this.#kept.get(keyOf(kept.ref)) === kept) this.#queue(kept.ref);
    }, waitMs).unref();
  }

  /** After a restart the zones run again at once, from what was synced last. */
  async #restore({ metadata }: Application, kept: Kept): Promise<void> {
    if (kept.synced) return;
    const synced = await this.#deps.states.read(keyOf(kept.ref));
    if (synced?.uid !== metadata.uid) return;
    kept.synced = synced;
    kept.zone.apply(synced.desired);
  }

  /** The process may die between any two of these: with the finalizer still there, the next one does it all again. */
  async #takeDown(application: Application, kept: Kept): Promise<void> {
    const { metadata } = application;
    await this.#drop(kept);
    await this.#deps.states.forget(keyOf(kept.ref));
    await this.#deps.clearZone(kept.ref.name);
    const finalizers = (metadata.finalizers ?? []).filter((name) => name !== cascadeFinalizer);
    await this.#deps.store.replace(ApplicationKind, { ...application, metadata: { ...metadata, finalizers } });
  }

  async #dropAnnotation(application: Application): Promise<void> {
    const { [refreshAnnotation]: _, ...annotations } = application.metadata.annotations ?? {};
    await this.#deps.store.replace(ApplicationKind, {
      ...application,
      metadata: { ...application.metadata, annotations },
    });
  }

  /** Whether it could be found out what should run. */
  async #sync(application: Application, kept: Kept): Promise<boolean> {
    const looked = await this.#look(application);
    if ('error' in looked) {
      if (this.#signal.aborted) return false;
      await this.#write(kept.ref, (status) => withHealth(comparisonFailed(status, looked.error), kept.zone.health()));
      return false;
    }
    const { revision, desired } = looked;
    const synced = { uid: application.metadata.uid, revision, desired };
    const isSame = JSON.stringify(kept.synced?.desired) === JSON.stringify(desired);
    // An operation that is still running was cut off by the end of a process: it is ended now.
    if (isSame && application.status?.operationState?.phase === 'Succeeded') {
      await this.#write(kept.ref, (status) => withHealth(nothingToSync(status, revision), kept.zone.health()));
      return true;
    }
    await this.#write(kept.ref, (status) => syncRunning(status, revision));
    await this.#deps.states.write(keyOf(kept.ref), synced);
    await this.#write(kept.ref, (status) => syncSucceeded(status, revision));
    kept.synced = synced;
    kept.zone.apply(desired);
    return true;
  }

  async #look(application: Application): Promise<{ revision: string; desired: Desired } | { error: string }> {
    const { repoURL: url, targetRevision: branch } = application.spec.source;
    try {
      const file = { url, branch, path: valuesPath(application) };
      const { revision, text } = await this.#deps.gitops.read(file, this.#signal);
      return { revision, desired: readValues(text) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  }

  /** Always the health of the moment, one write after the other, so that no older one is written last. */
  #writeHealth(kept: Kept): void {
    kept.writing = kept.writing
      .then(async () => await this.#write(kept.ref, (status) => withHealth(status, kept.zone.health())))
      .catch((error: Error) => this.#deps.log(`zone ${kept.ref.name}: ${error.message}`));
  }

  async #write(ref: Ref, change: (status: ApplicationStatus) => ApplicationStatus): Promise<void> {
    await this.#deps.store.updateStatus(ApplicationKind, ref, ({ status }) => change(status ?? {}));
  }
}
