import type { SQLOutputValue } from 'node:sqlite';
import type { Kind, StoredObject } from '../../rules/resource.ts';
import { WatchExpired, type WatchEvent, type WatchOptions } from '../store.ts';
import type { Database } from './database.ts';
import type { AnyObject } from '../any-object.ts';
import { keptChanges, kindColumn, type Versions } from './versions.ts';

/** Keeps the memory of a watch that starts far back small. */
const changesPerRead = 100;

type Changes = { events: WatchEvent<AnyObject>[]; upTo: number };

/** What happened to the watched objects after `version`, and the version up to which that is all. */
export function changesAfter(
  { database, versions }: { database: Database; versions: Versions },
  kind: Kind<StoredObject>,
  { version, namespace, name, labels }: Pick<WatchOptions, 'namespace' | 'name' | 'labels'> & { version: number },
): Changes {
  return database.read(() => {
    const latest = versions.latest();
    if (!(version >= latest - keptChanges && version <= latest)) {
      throw new WatchExpired(
        `Version ${version} of ${kind.plural} is not kept any more. List again and watch from there.`,
      );
    }
    // The plus keeps SQLite off the index by kind, which would read and sort all of its history.
    const rows = database
      .sql(
        `SELECT rv, change, object, iif(?, (SELECT object -> '$.metadata.labels' FROM versions AS before
                                             WHERE before.ended = after.rv AND before.rv < after.rv), NULL) AS labels
         FROM versions AS after
         WHERE rv > ? AND +kind = ? AND +namespace = ifnull(?, namespace) AND +name = ifnull(?, name)
         ORDER BY rv LIMIT ?`,
      )
      .all(labels ? 1 : 0, version, kindColumn(kind), namespace ?? null, name ?? null, changesPerRead);
    const last = rows.at(-1);
    const upTo = last && rows.length === changesPerRead ? Number(last['rv']) : latest;
    return { upTo, events: rows.flatMap((row) => selected(row, labels)) };
  });
}

/** An object that comes to match the labels is added for the watcher, one that ceases to is deleted. */
function selected(row: Record<string, SQLOutputValue>, labels: Record<string, string> = {}): WatchEvent<AnyObject>[] {
  const object = JSON.parse(String(row['object'])) as AnyObject;
  const change = row['change'] as WatchEvent<AnyObject>['type'];
  const before =
    change !== 'ADDED' && matches(JSON.parse(String(row['labels'] ?? '{}')) as Record<string, string>, labels);
  const after = change !== 'DELETED' && matches(object.metadata.labels, labels);
  if (before && after) return [{ type: 'MODIFIED', object }];
  if (after) return [{ type: 'ADDED', object }];
  return before ? [{ type: 'DELETED', object }] : [];
}

function matches(actual: Record<string, string> = {}, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([key, value]) => actual[key] === value);
}
