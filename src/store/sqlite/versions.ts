import type { Kind, Metadata, StoredObject } from '../../rules/resource.ts';
import { assertObjectSize } from '../assert-valid-object.ts';
import type { Ref, WatchEvent } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';

/** Watches and pages can use versions up to this many changes old; older versions are deleted. */
export const historyChangesMax = 10_000;

export const toKindColumn = ({ apiVersion, kind }: Pick<Kind<StoredObject>, 'apiVersion' | 'kind'>): string =>
  `${apiVersion}/${kind}`;

export type Versions = ReturnType<typeof createVersions>;

/** Accesses the table of current objects and their recent history. Callers open the transactions. */
export function createVersions({ prepare }: Database) {
  const latestVersion = (): number => Number(prepare('SELECT max(rv) AS rv FROM versions').get()?.['rv'] ?? 0);

  const saveOwners = ({ uid, ownerReferences = [] }: Metadata): void => {
    prepare('DELETE FROM owned WHERE uid = ?').run(uid);
    for (const owner of ownerReferences)
      prepare('INSERT OR IGNORE INTO owned (owner, uid) VALUES (?, ?)').run(owner.uid, uid);
  };

  return {
    latestVersion,

    findCurrent: (kind: Kind<StoredObject>, { namespace, name }: Ref): AnyObject | undefined =>
      parseObject(
        prepare('SELECT object FROM versions WHERE kind = ? AND namespace = ? AND name = ? AND ended IS NULL').get(
          toKindColumn(kind),
          namespace,
          name,
        ),
      ),

    findByUid: (uid: string): AnyObject | undefined =>
      parseObject(prepare('SELECT object FROM versions WHERE uid = ? AND ended IS NULL').get(uid)),

    /** Lists the uids of all objects in a namespace. */
    listUids: (namespace: string): string[] =>
      prepare('SELECT uid FROM versions WHERE namespace = ? AND ended IS NULL ORDER BY rv')
        .all(namespace)
        .map((row) => String(row['uid'])),

    /** Lists the uids of the objects that name the owner. */
    listOwnedUids: (owner: string): string[] =>
      prepare('SELECT uid FROM owned WHERE owner = ?')
        .all(owner)
        .map((row) => String(row['uid'])),

    /** Stores the next version of the object and returns it. */
    append: (change: WatchEvent<never>['type'], object: AnyObject): AnyObject => {
      const rv = latestVersion() + 1;
      const { namespace, name, uid } = object.metadata;
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(rv) } };
      const text = JSON.stringify(stored);
      // A deletion is never refused: nothing could remove the object, or what owns it, any more.
      if (change !== 'DELETED') assertObjectSize(object, name, text);
      prepare('UPDATE versions SET ended = ? WHERE uid = ? AND ended IS NULL').run(rv, uid);
      prepare(
        `INSERT INTO versions (rv, ended, change, kind, namespace, name, uid, object) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(rv, change === 'DELETED' ? rv : null, change, toKindColumn(object), namespace, name, uid, text);
      prepare('DELETE FROM versions WHERE ended <= ?').run(rv - historyChangesMax);
      saveOwners(change === 'DELETED' ? { ...stored.metadata, ownerReferences: [] } : stored.metadata);
      return stored;
    },
  };
}

function parseObject(row: { object?: unknown } | undefined): AnyObject | undefined {
  return row && (JSON.parse(String(row.object)) as AnyObject);
}
