import { type Application, ApplicationKind, type ApplicationStatus, refreshAnnotation } from '../../kinds/argo-cd.ts';
import type { Store } from '../../store/store.ts';
import { watchObjects } from '../watch-objects.ts';
import { removeCascadeFinalizer, removeRefreshAnnotation } from './application-metadata.ts';
import {
  markComparisonFailed,
  markInvalidSpec,
  markAlreadySynced,
  markSyncRunning,
  markSyncSucceeded,
  setHealth,
} from './application-status.ts';
import { findProjectViolation } from './find-project-violation.ts';
import type { GitopsReader } from './gitops-reader.ts';
import { readDesiredState } from './read-desired-state.ts';
import type { SyncedState, SyncedStateStore } from './synced-state-store.ts';
import type { Zone } from './zone.ts';

export type ApplicationControllerDeps = {
  store: Store;
  /** The namespace of the AppProjects. */
  argoCdNamespace: string;
  gitops: GitopsReader;
  syncedStates: SyncedStateStore;
  log: (line: string) => void;
  /** Creates a zone without running processes. */
  createZone: (name: string, onChange: () => void) => Zone;
  /** Deletes everything that the zone wrote. */
  deleteZoneData: (name: string) => Promise<void>;
};

/** The repo is polled at this interval when no refresh is requested. */
const pollIntervalMs = 120_000;
/** A failed read is retried sooner, because the repo may be reachable again. */
const retryDelayMs = 5_000;
/** Shutdown closes open requests soon anyway, so their drain is short. */
const shutdownDrainMs = 500;

type Ref = { namespace: string; name: string };
type TrackedApplication = {
  ref: Ref;
  zone: Zone;
  synced?: SyncedState | undefined;
  /** The uid and generation of the Application that was reconciled last. */
  observedVersion?: string;
  isPollDue: boolean;
  timer?: NodeJS.Timeout;
  reconciling: Promise<void>;
  healthWrites: Promise<void>;
};

const toKey = ({ namespace, name }: Ref): string => `${namespace}/${name}`;

/** Reconciles zones with the gitops repo, and writes the Application status as Argo CD does. */
export class ApplicationController {
  #deps: ApplicationControllerDeps;
  #tracked = new Map<string, TrackedApplication>();
  #stopping = new Set<Promise<void>>();
  #signal = AbortSignal.abort();

  constructor(deps: ApplicationControllerDeps) {
    this.#deps = deps;
  }

  findZoneByHost(host: string): { name: string; zone: Zone } | undefined {
    const tracked = [...this.#tracked.values()].find(({ zone }) => zone.hosts.includes(host));
    return tracked && { name: tracked.ref.name, zone: tracked.zone };
  }

  findZone(name: string): Zone | undefined {
    return [...this.#tracked.values()].find(({ ref }) => ref.name === name)?.zone;
  }

  get zones(): { name: string; zone: Zone }[] {
    return [...this.#tracked.values()].map(({ ref, zone }) => ({ name: ref.name, zone }));
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await watchObjects(this.#deps.store, ApplicationKind, {
      signal,
      onUpdate: ({ metadata }) => this.#enqueue(metadata),
      onDelete: ({ metadata }) => this.#handleDeleted(metadata),
    });
    const all = [...this.#tracked.values()];
    for (const { timer } of all) clearTimeout(timer);
    await Promise.all(
      all.map(async ({ zone, reconciling }) => await reconciling.then(async () => await zone.stop(shutdownDrainMs))),
    );
    await Promise.all([...this.#stopping, ...all.map(({ healthWrites }) => healthWrites)]);
  }

  /** Reconciles of one zone run one after the other; zones run in parallel. */
  #enqueue({ namespace, name }: Ref): void {
    const ref = { namespace, name };
    const tracked = this.#tracked.get(toKey(ref)) ?? this.#track(ref);
    tracked.reconciling = tracked.reconciling
      .then(async () => {
        if (this.#signal.aborted) return;
        const current = await this.#deps.store.find(ApplicationKind, ref);
        if (current) await this.#reconcile(current, tracked);
      })
      .catch((error: Error) => {
        if (this.#signal.aborted) return;
        this.#deps.log(`zone ${name}: ${error.message}`);
        this.#requeueAfter(tracked, retryDelayMs);
      });
  }

  #track(ref: Ref): TrackedApplication {
    const zone = this.#deps.createZone(ref.name, () => this.#updateHealth(tracked));
    const tracked: TrackedApplication = {
      ref,
      zone,
      isPollDue: false,
      reconciling: Promise.resolve(),
      healthWrites: Promise.resolve(),
    };
    this.#tracked.set(toKey(ref), tracked);
    return tracked;
  }

  /** A later Application of the same name gets a new zone, so it need not wait for this one to stop. */
  #untrack(tracked: TrackedApplication): Promise<void> {
    clearTimeout(tracked.timer);
    if (this.#tracked.get(toKey(tracked.ref)) === tracked) this.#tracked.delete(toKey(tracked.ref));
    const stopping = tracked.zone.stop().finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
    return stopping;
  }

  #handleDeleted(ref: Ref): void {
    const tracked = this.#tracked.get(toKey(ref));
    if (!tracked) return;
    void this.#untrack(tracked);
    this.#deps.syncedStates
      .delete(toKey(ref))
      .catch((error: Error) => this.#deps.log(`zone ${ref.name}: ${error.message}`));
  }

  async #reconcile(application: Application, tracked: TrackedApplication): Promise<void> {
    const { metadata } = application;
    if (metadata.deletionTimestamp) return await this.#finalize(application, tracked);
    const version = `${metadata.uid}/${metadata.generation}`;
    if (!tracked.observedVersion) await this.#restore(application, tracked);
    const isRefreshRequested = metadata.annotations?.[refreshAnnotation] !== undefined;
    if (!isRefreshRequested && !tracked.isPollDue && tracked.observedVersion === version) return;
    // The annotation is removed before the sync, so a request during the sync causes another one.
    if (isRefreshRequested) await removeRefreshAnnotation(this.#deps.store, application);
    const isSynced = await this.#sync(application, tracked);
    tracked.observedVersion = version;
    this.#requeueAfter(tracked, isSynced ? pollIntervalMs : retryDelayMs);
  }

  #requeueAfter(tracked: TrackedApplication, waitMs: number): void {
    clearTimeout(tracked.timer);
    tracked.isPollDue = false;
    tracked.timer = setTimeout(() => {
      tracked.isPollDue = true;
      if (this.#tracked.get(toKey(tracked.ref)) === tracked) this.#enqueue(tracked.ref);
    }, waitMs).unref();
  }

  /** After a restart the zones run at once from the state that was synced last. */
  async #restore({ metadata }: Application, tracked: TrackedApplication): Promise<void> {
    if (tracked.synced) return;
    const synced = await this.#deps.syncedStates.read(toKey(tracked.ref));
    if (synced?.uid !== metadata.uid) return;
    tracked.synced = synced;
    tracked.zone.apply(synced.desired);
  }

  /** The finalizer is removed last, so after a crash between two steps the next process repeats them all. */
  async #finalize(application: Application, tracked: TrackedApplication): Promise<void> {
    await this.#untrack(tracked);
    await this.#deps.syncedStates.delete(toKey(tracked.ref));
    await this.#deps.deleteZoneData(tracked.ref.name);
    await removeCascadeFinalizer(this.#deps.store, application);
  }

  /** Returns false when the project forbids the Application, or the desired state could not be read. */
  async #sync(application: Application, tracked: TrackedApplication): Promise<boolean> {
    const { store, argoCdNamespace } = this.#deps;
    const violation = await findProjectViolation(store, application, argoCdNamespace);
    if (violation !== undefined) {
      await this.#updateStatus(tracked.ref, (status) =>
        setHealth(markInvalidSpec(status, violation), tracked.zone.health()),
      );
      return false;
    }
    const source = await readDesiredState(this.#deps.gitops, application, this.#signal);
    if ('error' in source) {
      if (this.#signal.aborted) return false;
      await this.#updateStatus(tracked.ref, (status) =>
        setHealth(markComparisonFailed(status, source.error), tracked.zone.health()),
      );
      return false;
    }
    const { revision, desired } = source;
    const synced = { uid: application.metadata.uid, revision, desired };
    const isSame = JSON.stringify(tracked.synced?.desired) === JSON.stringify(desired);
    // A running operation was interrupted by a process exit, so the sync below completes it.
    if (isSame && application.status?.operationState?.phase === 'Succeeded') {
      await this.#updateStatus(tracked.ref, (status) =>
        setHealth(markAlreadySynced(status, revision), tracked.zone.health()),
      );
      return true;
    }
    await this.#updateStatus(tracked.ref, (status) => markSyncRunning(status, revision));
    await this.#deps.syncedStates.write(toKey(tracked.ref), synced);
    await this.#updateStatus(tracked.ref, (status) => markSyncSucceeded(status, revision));
    tracked.synced = synced;
    tracked.zone.apply(desired);
    return true;
  }

  /** Writes the current health. Writes run one after the other, so an older health never overwrites a newer one. */
  #updateHealth(tracked: TrackedApplication): void {
    tracked.healthWrites = tracked.healthWrites
      .then(async () => await this.#updateStatus(tracked.ref, (status) => setHealth(status, tracked.zone.health())))
      .catch((error: Error) => this.#deps.log(`zone ${tracked.ref.name}: ${error.message}`));
  }

  async #updateStatus(ref: Ref, change: (status: ApplicationStatus) => ApplicationStatus): Promise<void> {
    await this.#deps.store.updateStatus(ApplicationKind, ref, ({ status }) => change(status ?? {}));
  }
}
