import { isServiceError, ServiceError } from '../../src/errors.ts';
import type { ArchiveEntry } from '../../src/integrations/backups/archive-format.ts';
import type { Blobs } from '../../src/integrations/blobs/blobs.ts';
import { archivedKinds, isArchivable, isOfCluster, listNamespaces } from '../../src/rules/backups/archived-objects.ts';
import type { Counts } from '../../src/rules/backups/kinds.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { apiVersion, type Kind, type StoredObject, systemNamespace } from '../../src/rules/resource.ts';
import type { Page, Store } from '../../src/store/store.ts';
import { objectsFolder, blobsFolder } from './entry-names.ts';
import { isPartKey } from './parts.ts';

/** A page fits in memory, and a cluster returns it in one response. */
const pageSize = 500;

/** The version of the store that all objects of an archive are read at, and the orgs at that version. */
export type Snapshot = { at: string; orgs: string[] };

export async function takeSnapshot(store: Store): Promise<Snapshot> {
  const { items, resourceVersion } = await store.list(OrganizationKind, { namespace: systemNamespace });
  return { at: resourceVersion, orgs: items.map(({ metadata }) => metadata.name) };
}

/**
 * Lists all objects as they were at one moment, then the blobs, which are written before what refers to them and
 * never change.
 */
export async function* listArchiveEntries(
  { store, blobs }: { store: Store; blobs: Blobs },
  { at, orgs }: Snapshot,
  onEntry: (what: keyof Counts) => Promise<void>,
): AsyncGenerator<ArchiveEntry> {
  for (const archived of archivedKinds)
    for (const namespace of listNamespaces(archived, orgs))
      for await (const object of listObjects(store, archived.kind, { namespace, at })) {
        if (!isArchivable(object) || isOfCluster(object)) continue;
        const { name } = object.metadata;
        yield {
          name: `${objectsFolder}${object.kind}/${namespace || '_'}/${name}.json`,
          bytes: Buffer.from(JSON.stringify(object)),
        };
        await onEntry('resources');
      }
  for (const key of await blobs.list('')) {
    // An archive with those before it would be twice as large each time.
    if (isPartKey(key)) continue;
    const bytes = await blobs.find(key);
    // The owner of a blob may have been deleted since, with its blobs.
    if (bytes === undefined) continue;
    yield { name: `${blobsFolder}${key}`, bytes };
    await onEntry('blobs');
  }
}

async function* listObjects(
  store: Store,
  kind: Kind<StoredObject>,
  options: { namespace: string; at: string },
): AsyncGenerator<StoredObject> {
  for (let token: string | undefined; ;) {
    const page: Page<StoredObject> = await store
      .list(kind, { ...options, limit: pageSize, ...(token !== undefined && { continue: token }) })
      .catch((error: unknown) => {
        // Another attempt reads the objects at a newer version.
        if (isServiceError(error) && error.reason === 'expired-page')
          throw new ServiceError('unavailable', 'The store no longer keeps the version of the backup.');
        // The cluster may not have the other system.
        if (kind.apiVersion === apiVersion || !isServiceError(error, 'not-found')) throw error;
        return { items: [], resourceVersion: options.at };
      });
    yield* page.items;
    if (page.continue === undefined) return;
    token = page.continue;
  }
}
