import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Application, ApplicationStatus } from '../../rules/environments/delivery-kinds.ts';
import type { Store } from '../../store/store.ts';
import { follow } from './follow.ts';
import { type CredentialsFor, git, mirror } from './git.ts';
import { ApplicationKind, cascadeFinalizer, refreshAnnotation } from './kinds.ts';
import { readValues, valuesPath } from './values.ts';
import type { Desired, Zone, ZoneHealth } from './zone.ts';

export type ControllerDeps = {
  store: Store;
  dataDir: string;
  credentialsFor: CredentialsFor;
  log: (line: string) => void;
  /** A fresh zone whose health goes to the callback. */
  createZone: (name: string, onHealth: (health: ZoneHealth) => void) => Zone;
};

/** How often the repo is looked at when nobody asks for it. */
const pollMs = 120_000;

type Saved = { revision: string; desired: Desired };
type Kept = { zone: Zone; saved: Saved | undefined; work: Promise<void>; lookedAtMs: number; restored: boolean };

/** Brings zones to what the gitops repo says, and tells it in each Application's status as the real controller does. */
export class Controller {
  #deps: ControllerDeps;
  #kept = new Map<string, Kept>();

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  zones(): Zone[] {
    return [...this.#kept.values()].map(({ zone }) => zone);
  }

  async run(signal: AbortSignal): Promise<void> {
    await mkdir(join(this.#deps.dataDir, 'zones'), { recursive: true });
    const timer = setInterval(() => void this.#lookAtAll(), pollMs / 4);
    await follow(this.#deps.store, ApplicationKind, {
      signal,
      see: async (application) => this.#queue(application),
      gone: async (application) => await this.#forget(application.metadata.name),
    });
    clearInterval(timer);
    await Promise.all([...this.#kept.values()].map(async ({ zone, work }) => await work.then(async () => await zone.stop())));
  }

  async #lookAtAll(): Promise<void> {
    const { items } = await this.#deps.store.list(ApplicationKind).catch(() => ({ items: [] }));
    for (const application of items) this.#queue(application);
  }

  /** One thing at a time for each zone; the zones side by side. */
  #queue({ metadata }: Application): void {
    const { name, namespace } = metadata;
    const kept = this.#kept.get(name) ?? this.#keep({ name, namespace });
    kept.work = kept.work.then(async () => {
      const current = await this.#deps.store.find(ApplicationKind, { name, namespace });
      if (current) await this.#reconcile(current, kept);
    }).catch((error: Error) => this.#deps.log(`zone ${name}: ${error.message}`));
  }

  #keep(ref: { name: string; namespace: string }): Kept {
    const zone = this.#deps.createZone(ref.name, (health) => void this.#writeHealth(ref, health));
    const kept: Kept = { zone, saved: undefined, work: Promise.resolve(), lookedAtMs: 0, restored: false };
    this.#kept.set(ref.name, kept);
    return kept;
  }

  async #forget(name: string): Promise<void> {
    const kept = this.#kept.get(name);
    this.#kept.delete(name);
    await kept?.zone.stop();
  }

  async #reconcile(application: Application, kept: Kept): Promise<void> {
    const { metadata } = application;
    if (metadata.deletionTimestamp) return await this.#takeDown(application, kept);
    await this.#restore(application, kept);
    const asked = metadata.annotations?.[refreshAnnotation] !== undefined;
    if (!asked && Date.now() - kept.lookedAtMs < pollMs) return;
    kept.lookedAtMs = Date.now();
    if (asked) await this.#dropAnnotation(application);
    await this.#sync(application, kept);
  }

  /** After a restart the zones run again at once, from what was synced last. */
  async #restore({ metadata }: Application, kept: Kept): Promise<void> {
    if (kept.restored) return;
    kept.restored = true;
    const text = await readFile(this.#stateFile(metadata.name), 'utf8').catch(() => undefined);
    if (text === undefined) return;
    kept.saved = JSON.parse(text) as Saved;
    void kept.zone.apply(kept.saved.desired);
  }

  async #takeDown(application: Application, kept: Kept): Promise<void> {
    await kept.zone.stop();
    const finalizers = (application.metadata.finalizers ?? []).filter((name) => name !== cascadeFinalizer);
    await writeFile(this.#stateFile(application.metadata.name), '').catch(() => undefined);
    this.#kept.delete(application.metadata.name);
    await this.#deps.store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, finalizers } });
  }

  async #dropAnnotation(application: Application): Promise<void> {
    const { [refreshAnnotation]: _, ...annotations } = application.metadata.annotations ?? {};
    await this.#deps.store.replace(ApplicationKind, { ...application, metadata: { ...application.metadata, annotations } });
  }

  async #sync(application: Application, kept: Kept): Promise<void> {
    const looked = await this.#look(application);
    if ('error' in looked) return await this.#write(application.metadata, (status) => comparisonError(status, looked.error));
    const { revision, desired } = looked;
    const same = kept.saved !== undefined && JSON.stringify(kept.saved.desired) === JSON.stringify(desired);
    if (same) {
      await this.#save(application.metadata.name, { revision, desired: kept.saved?.desired ?? desired }, kept);
      return await this.#write(application.metadata, (status) => ({ ...withoutErrors(status), sync: { status: 'Synced', revision }, reconciledAt: now() }));
    }
    const startedAt = now();
    await this.#write(application.metadata, (status) => ({
      ...withoutErrors(status),
      sync: { status: 'OutOfSync', revision },
      operationState: { phase: 'Running', startedAt },
    }));
    await this.#save(application.metadata.name, { revision, desired }, kept);
    // As with the real one, the operation ends before health is computed anew: for a moment the old health stands.
    await this.#write(application.metadata, (status) => ({
      ...status,
      sync: { status: 'Synced', revision },
      operationState: { phase: 'Succeeded', startedAt, finishedAt: now(), syncResult: { revision }, message: 'successfully synced' },
    }));
    void kept.zone.apply(desired);
  }

  async #look(application: Application): Promise<{ revision: string; desired: Desired } | { error: string }> {
    const { repoURL, targetRevision } = application.spec.source;
    try {
      const path = valuesPath(application);
      const copy = await mirror(join(this.#deps.dataDir, 'gitops'), repoURL);
      const authorization = await this.#deps.credentialsFor(repoURL);
      const ref = `refs/service/${application.metadata.name}`;
      await git(['--git-dir', copy, 'fetch', '--quiet', repoURL, `+refs/heads/${targetRevision}:${ref}`], authorization);
      const revision = (await git(['--git-dir', copy, 'rev-parse', ref])).trim();
      return { revision, desired: readValues(await git(['--git-dir', copy, 'show', `${revision}:${path}`])) };
    } catch (error) {
      return { error: (error as Error).message.split('\n').slice(0, 3).join(' ') };
    }
  }

  #stateFile(name: string): string {
    return join(this.#deps.dataDir, 'zones', `${name}.json`);
  }

  async #save(name: string, saved: Saved, kept: Kept): Promise<void> {
    kept.saved = saved;
    await writeFile(`${this.#stateFile(name)}.new`, JSON.stringify(saved));
    await rename(`${this.#stateFile(name)}.new`, this.#stateFile(name));
  }

  async #writeHealth(ref: { name: string; namespace: string }, { status: health, message, images }: ZoneHealth): Promise<void> {
    await this.#write(ref, (status) => ({
      ...status,
      health: { status: health, ...(message ? { message } : {}) },
      summary: { images },
      reconciledAt: now(),
    })).catch((error: Error) => this.#deps.log(`zone ${ref.name}: ${error.message}`));
  }

  async #write({ name, namespace }: { name: string; namespace: string }, change: (status: ApplicationStatus) => ApplicationStatus): Promise<void> {
    await this.#deps.store.updateStatus(ApplicationKind, { name, namespace }, ({ status }) => change(status ?? {}));
  }
}

const now = (): string => new Date().toISOString();

function withoutErrors({ conditions: _, ...status }: ApplicationStatus): ApplicationStatus {
  return status;
}

function comparisonError(status: ApplicationStatus, message: string): ApplicationStatus {
  return {
    ...status,
    sync: { status: 'Unknown' },
    conditions: [{ type: 'ComparisonError', message, lastTransitionTime: now() }],
    reconciledAt: now(),
  };
}
