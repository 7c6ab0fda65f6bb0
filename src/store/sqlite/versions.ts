import type { Kind, Metadata, StoredObject } from '../../rules/resource.ts';
import { checkSize } from '../check-object.ts';
import type { Ref, WatchEvent } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';

/** How many changes back a watch can start and a list can be paged; what is older of an object is forgotten. */
export const keptChanges = 10_000;

/** How a kind is written in the `kind` column. */
export const kindColumn = ({ apiVersion, kind }: Pick<Kind<StoredObject>, 'apiVersion' | 'kind'>): string =>
  `${apiVersion}/${kind}`;

export type Versions = ReturnType<typeof createVersions>;

/** The objects and their recent history, as one table; what must be one transaction is the caller's to say. */
export function createVersions({ sql }: Database) {
  const latest = (): number => Number(sql('SELECT max(rv) AS rv FROM versions').get()?.['rv'] ?? 0);

  const ownTo = ({ uid, ownerReferences = [] }: Metadata): void => {
    sql('DELETE FROM owned WHERE uid = ?').run(uid);
    for (const owner of ownerReferences)
      sql('INSERT OR IGNORE INTO owned (owner, uid) VALUES (?, ?)').run(owner.uid, uid);
  };

  return {
    latest,

    current: (kind: Kind<StoredObject>, { namespace, name }: Ref): AnyObject | undefined =>
      parsed(
        sql('SELECT object FROM versions WHERE kind = ? AND namespace = ? AND name = ? AND ended IS NULL').get(
          kindColumn(kind),
          namespace,
          name,
        ),
      ),

    byUid: (uid: string): AnyObject | undefined =>
      parsed(sql('SELECT object FROM versions WHERE uid = ? AND ended IS NULL').get(uid)),

    /** The uids of what names that owner. */
    ownedBy: (owner: string): string[] =>
      sql('SELECT uid FROM owned WHERE owner = ?')
        .all(owner)
        .map((row) => String(row['uid'])),

    /** Makes `object` the newest version of itself and returns it as stored. */
    put: (change: WatchEvent<never>['type'], object: AnyObject): AnyObject => {
      const rv = latest() + 1;
      const { namespace, name, uid } = object.metadata;
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(rv) } };
      const text = JSON.stringify(stored);
      checkSize(object, name, text);
      sql('UPDATE versions SET ended = ? WHERE uid = ? AND ended IS NULL').run(rv, uid);
      sql(
        `INSERT INTO versions (rv, ended, change, kind, namespace, name, uid, object) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(rv, change === 'DELETED' ? rv : null, change, kindColumn(object), namespace, name, uid, text);
      sql('DELETE FROM versions WHERE ended <= ?').run(rv - keptChanges);
      ownTo(change === 'DELETED' ? { ...stored.metadata, ownerReferences: [] } : stored.metadata);
      return stored;
    },
  };
}

function parsed(row: { object?: unknown } | undefined): AnyObject | undefined {
  return row && (JSON.parse(String(row.object)) as AnyObject);
}
