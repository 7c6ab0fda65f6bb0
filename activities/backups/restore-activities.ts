import { createHash } from 'node:crypto';
import { ignoreNotFound, isServiceError, notFound, ServiceError } from '../../src/errors.ts';
import { readArchive } from '../../src/integrations/backups/read-archive.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { readSecretText, SecretKind } from '../../src/kinds/kubernetes.ts';
import {
  type Counts,
  isFinished,
  isOpen,
  isRestoring,
  type Restore,
  RestoreKind,
  type RestoreStatus,
} from '../../src/rules/backups/kinds.ts';
import { toRestoreSecretRef } from '../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../src/rules/resource.ts';
import { endLostRestore } from '../../src/store/end-lost-restore.ts';
import type { Store } from '../../src/store/store.ts';
import { readParts } from './parts.ts';
import { createRestorer } from './restorer.ts';
import { createThrottle } from './throttle.ts';

export type RestoreDeps = { store: Store; blobs: Blobs; backups: Blobs; now: () => Date };

type RestoreRef = { restore: string };

const conflictsShownMax = 50;

export function createRestoreActivities({ store, blobs, backups, now }: RestoreDeps) {
  const toRef = ({ restore: name }: RestoreRef) => ({ namespace: systemNamespace, name });
  const record = async (ref: RestoreRef, patch: Partial<RestoreStatus>): Promise<Restore> =>
    await store.updateStatus(RestoreKind, toRef(ref), ({ status }) => status && { ...status, ...patch });

  const readRecoveryKey = async ({ restore }: RestoreRef): Promise<string> => {
    const key = readSecretText(await store.find(SecretKind, toRestoreSecretRef(restore)), 'recoveryKey');
    if (key === undefined) throw new ServiceError('recovery-key-wrong', 'The recovery key was deleted. Start again.');
    return key;
  };

  /** Ends the restores that a lost workflow left behind: there is one at a time, and their phase can lock all changes. */
  const endOthers = async ({ restore }: RestoreRef): Promise<void> => {
    const { items } = await store.list(RestoreKind, { namespace: systemNamespace });
    for (const other of items)
      if (other.metadata.name !== restore && isOpen(other)) await endLostRestore(store, other, now().toISOString());
  };

  return {
    /** Reads the whole archive and records what restoring it would do. Writes nothing of it. */
    checkArchive: async (ref: RestoreRef): Promise<{ conflicts: number }> => {
      const { spec } = await store.get(RestoreKind, toRef(ref));
      await endOthers(ref);
      const partDigests: string[] = [];
      const restorer = createRestorer({ store, blobs });
      const conflicts: string[] = [];
      const contents: Counts = { resources: 0, blobs: 0 };
      let existing = 0;
      const manifest = await readArchive(
        { recoveryKey: await readRecoveryKey(ref), parts: withDigests(readParts(backups, spec), partDigests) },
        async (entry) => {
          const { what, outcome, name } = await restorer.check(entry);
          contents[what] += 1;
          if (outcome === 'exists') existing += 1;
          if (outcome === 'conflict') conflicts.push(name);
        },
      ).catch((error: unknown) => {
        const isMissing = partDigests.length === 0 && isServiceError(error) && error.reason === 'recovery-key-wrong';
        throw isMissing ? notFound('archive', spec.backup, 'the destination of backups') : error;
      });
      if (manifest.backup !== spec.backup)
        throw new ServiceError(
          'archive-refused',
          `The archive is the one of "${manifest.backup}". Nothing was written.`,
        );
      const { createdAt, version, orgs } = manifest;
      const plan = { createdAt, version, orgs, contents, existing };
      const digest = toDigest(JSON.stringify([plan, partDigests, conflicts]));
      await record(ref, {
        plan: { ...plan, digest },
        partDigests,
        ...(conflicts.length > 0 && { conflicts: conflicts.slice(0, conflictsShownMax) }),
      });
      return { conflicts: conflicts.length };
    },

    /**
     * Begins to write if a person has confirmed this very plan. The confirmation in the store is the authorization, so
     * that another Temporal client cannot give it.
     */
    beginRestore: async (ref: RestoreRef): Promise<boolean> => {
      const restore = await store.updateStatus(RestoreKind, toRef(ref), ({ status }) =>
        status?.confirmed && status.confirmed.digest === status.plan?.digest && !isFinished(status)
          ? { ...status, phase: 'Restoring' as const }
          : undefined,
      );
      return isRestoring(restore);
    },

    /** Writes what the archive contains and the installation lacks. A repetition continues where an attempt stopped. */
    restoreArchive: async (ref: RestoreRef): Promise<void> => {
      const { spec, status } = await store.get(RestoreKind, toRef(ref));
      const restorer = createRestorer({ store, blobs });
      const progress: Counts = { resources: 0, blobs: 0 };
      const report = createThrottle(async () => void (await record(ref, { progress: { ...progress } })));
      const parts = assertUnchanged(readParts(backups, spec), status?.partDigests ?? []);
      await readArchive({ recoveryKey: await readRecoveryKey(ref), parts }, async (entry) => {
        progress[await restorer.restore(entry)] += 1;
        await report();
      });
      await record(ref, { progress });
    },

    recordRestore: async ({ patch, ...ref }: RestoreRef & { patch: Partial<RestoreStatus> }): Promise<void> => {
      await record(ref, patch);
    },

    /** Deletes the recovery key of a restore that has ended. */
    deleteRecoveryKey: async ({ restore }: RestoreRef): Promise<void> =>
      await store.delete(SecretKind, toRestoreSecretRef(restore)).catch(ignoreNotFound),
  };
}

const toDigest = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');

async function* withDigests(parts: AsyncIterable<Uint8Array>, digests: string[]): AsyncGenerator<Uint8Array> {
  for await (const part of parts) {
    digests.push(toDigest(part));
    yield part;
  }
}

/** Compares each part with the one that was checked before any of it is used, so that no other archive is restored. */
async function* assertUnchanged(parts: AsyncIterable<Uint8Array>, digests: string[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const part of parts) {
    if (toDigest(part) !== digests[at])
      throw new ServiceError('archive-refused', 'The archive has changed since it was checked. Start a new restore.');
    at += 1;
    yield part;
  }
}
